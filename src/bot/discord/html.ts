import { Tokenizer } from 'htmlparser2';

/** What a document is made of, in its order: nothing is nested or balanced for those who listen. */
export interface HtmlListener {
  /** Text with its entities decoded; a text may come in several pieces. */
  text(piece: string): void;
  /** @param name in lower case @param attribute gives the value of `href` or `src`, or null */
  start(name: string, attribute: (name: string) => string | null): void;
  end(name: string): void;
}

/** The attributes that anybody asks for. */
const READ_ATTRIBUTES = new Set(['href', 'src']);

/**
 * Reads foreign HTML in time that grows with its length: there are tokens and no tree, so nothing depends on how deep or
 * how wrongly tags are nested.
 */
export function readHtml(html: string, listener: HtmlListener): void {
  let element = '';
  let attribute = '';
  let value = '';
  const attributes = new Map<string, string>();
  const start = () => listener.start(element, (name) => attributes.get(name) ?? null);

  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (from, to) => listener.text(html.slice(from, to)),
      ontextentity: (code) => listener.text(String.fromCodePoint(code)),
      onopentagname(from, to) {
        element = html.slice(from, to).toLowerCase();
        attributes.clear();
      },
      onattribname(from, to) {
        attribute = html.slice(from, to).toLowerCase();
        value = '';
      },
      onattribdata(from, to) {
        value += html.slice(from, to);
      },
      onattribentity(code) {
        value += String.fromCodePoint(code);
      },
      onattribend() {
        // Of an attribute that comes twice, the first counts.
        if (READ_ATTRIBUTES.has(attribute) && !attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: start,
      onselfclosingtag: start,
      onclosetag: (from, to) => listener.end(html.slice(from, to).toLowerCase()),
      oncdata: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onend: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
}

function ignore(): void {
  // Nobody reads it.
}
