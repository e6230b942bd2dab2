import { Tokenizer } from 'htmlparser2';

/** Receives the tokens of a document in order; tags need not nest or balance. */
export interface HtmlListener {
  /** Decoded text; one text may arrive in several pieces. */
  text(piece: string): void;
  /** @param name in lower case @param attribute gives the value of `href` or `src`, or null */
  start(name: string, attribute: (name: string) => string | null): void;
  end(name: string): void;
}

/** The attributes that listeners read. */
const READ_ATTRIBUTES = new Set(['href', 'src']);

/** Tokenizes foreign HTML in linear time. There is no tree, so that neither depth nor wrong nesting of tags matters. */
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
        // The first of duplicate attributes counts.
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
  // Nothing uses these tokens.
}
