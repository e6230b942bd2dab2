import { withFewMarks } from '../shared/combining-marks.ts';
import { type HtmlListener, readHtml } from './html.ts';

/** The rules of the target Markdown that differ between Discord and others. */
export interface Dialect {
  /** Escapes a line of text, so that nothing in it is formatting. */
  escape(text: string): string;
  /** The target address of a link or video; null where no link is allowed. */
  resolve(address: string | null): string | null;
}

/**
 * Converts HTML to Markdown: paragraphs, lists, quotes, tables as lines, bold, italic, code and links. Time and memory
 * are linear in the length of the HTML.
 */
export function htmlToMarkdown(html: string, dialect: Dialect): string {
  const writer = new MarkdownWriter(dialect);
  readHtml(html, writer);
  return writer.finish();
}

/** The deepest list nesting; deeper items join the last level. Discord shows no more. */
const MOST_NESTED_LISTS = 8;
/** The most characters of Markdown in a link's label; the rest follows the link. */
const MOST_LABEL = 250;

const PARAGRAPH = 2;
const LINE = 1;

const BLOCKS = new Set(
  (
    'address,article,aside,canvas,center,dd,details,dialog,dir,div,dl,dt,fieldset,figcaption,figure,footer,form,header,' +
    'hgroup,hr,legend,main,menu,nav,output,p,pre,section,summary'
  ).split(','),
);
/** Headings become bold text: inside a card, a heading would outshine the card's own title. */
const HEADINGS = new Set('h1,h2,h3,h4,h5,h6,caption'.split(','));
const TABLE_PARTS = new Set('thead,tbody,tfoot'.split(','));
/** Elements whose content is skipped. */
const UNREAD = new Set('script,style,object,video,audio,noscript,noembed,noframes,template,title,iframe'.split(','));
const FORMATS: ReadonlyMap<string, 'bold' | 'cursive' | 'code'> = new Map([
  ['b', 'bold'],
  ['strong', 'bold'],
  ['i', 'cursive'],
  ['em', 'cursive'],
  ['code', 'code'],
]);

/**
 * Control characters except white space, invisible characters, and characters that change the direction of the text
 * after them.
 */
const UNSEEN = /[^\P{Cc}\s]|[\p{Surrogate}\u200B\u2060\uFEFF\u202A-\u202E\u2066-\u2069]/gu;

/** Removes invisible characters, those that change the direction of text, and combining marks that would cover other lines. */
export function withoutUnseen(text: string): string {
  return withFewMarks(text.replace(UNSEEN, ''));
}

/** A formatting: `opening` is written before its first text, `closing` right after its last. */
interface Mark {
  kind: 'bold' | 'cursive' | 'code' | 'link';
  opening: string;
  closing: string;
}

const MARKS = {
  bold: { kind: 'bold', opening: '**', closing: '**' },
  cursive: { kind: 'cursive', opening: '*', closing: '*' },
  code: { kind: 'code', opening: '`', closing: '`' },
} as const satisfies Record<string, Mark>;

interface List {
  isOrdered: boolean;
  /** Items written so far. */
  items: number;
  isItemOpen: boolean;
  /** Whether the open item's marker is still to be written; `width` is the marker's width in characters. */
  isMarkerDue: boolean;
  width: number;
}

/** A table row: one line with its cells side by side. */
interface Row {
  cells: number;
  hasText: boolean;
  /** Separators to write before the next text. */
  separators: number;
}

/**
 * Writes Markdown incrementally. Formatting is not a tree: the writer keeps the wanted formatting of the next text, at
 * most one of each kind, and the open formatting, and before each text changes the open to the wanted. So marks always
 * pair, however badly tags nest.
 */
class MarkdownWriter implements HtmlListener {
  readonly #dialect: Dialect;
  readonly #written: string[] = [];
  /** Text received and not yet written. */
  #pieces: string[] = [];

  #unread: { name: string; depth: number } | null = null;
  readonly #depths = { bold: 0, cursive: 0, code: 0 };
  #headings = 0;
  #preformatted = 0;
  #quotes = 0;
  #tables = 0;
  readonly #lists: List[] = [];
  #listsTooDeep = 0;
  #row: Row | null = null;
  #cell: 'none' | 'plain' | 'heading' = 'none';

  /** In order of opening. */
  #wanted: Mark[] = [];
  #open: Mark[] = [];
  #label = 0;
  #breakDue = 0;
  #isSpaceDue = false;
  #isLineQuoted = false;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  finish(): string {
    this.#endRow();
    this.#closeFrom(0);
    return this.#written.join('').trim();
  }

  text(piece: string): void {
    if (!this.#unread) this.#pieces.push(piece);
  }

  start(name: string, attribute: (name: string) => string | null): void {
    if (this.#unread) {
      if (this.#unread.name === name) this.#unread.depth += 1;
      return;
    }
    const format = FORMATS.get(name);
    if (format) this.#begin(format);
    else if (name === 'a') this.#startLink(attribute('href'));
    else if (name === 'br') this.#break(LINE);
    else if (name === 'li') this.#startItem();
    else if (name === 'ul' || name === 'ol') this.#startList(name === 'ol');
    else if (HEADINGS.has(name)) this.#startHeading();
    else if (name === 'blockquote') this.#startQuote();
    else if (name === 'table') this.#startTable();
    else if (name === 'tr') this.#startRow();
    else if (name === 'td' || name === 'th') this.#startCell(name === 'th');
    else if (TABLE_PARTS.has(name)) this.#break(PARAGRAPH, () => this.#endRow());
    else if (BLOCKS.has(name)) this.#break(PARAGRAPH);
    else if (UNREAD.has(name)) {
      if (name === 'iframe') this.#video(attribute('src'));
      this.#unread = { name, depth: 1 };
    }
    if (name === 'pre') this.#preformatted += 1;
  }

  end(name: string): void {
    if (this.#unread) {
      if (this.#unread.name === name) this.#unread.depth -= 1;
      if (this.#unread.depth === 0) this.#unread = null;
      return;
    }
    const format = FORMATS.get(name);
    if (format) this.#end(format);
    else if (name === 'a') this.#endLink();
    else if (name === 'li') this.#endItem();
    else if (name === 'ul' || name === 'ol') this.#endList();
    else if (HEADINGS.has(name)) this.#endHeading();
    else if (name === 'blockquote') this.#endQuote();
    else if (name === 'table') this.#endTable();
    else if (name === 'tr') this.#break(LINE, () => this.#endRow());
    else if (name === 'td' || name === 'th') this.#endCell();
    else if (TABLE_PARTS.has(name)) this.#break(PARAGRAPH, () => this.#endRow());
    else if (BLOCKS.has(name)) this.#break(PARAGRAPH);
    if (name === 'pre') {
      this.#flush();
      this.#preformatted = Math.max(0, this.#preformatted - 1);
    }
  }

  // Formatting

  #begin(kind: keyof typeof MARKS): void {
    this.#flush();
    this.#depths[kind] += 1;
    if (this.#depths[kind] === 1) this.#wanted.push(MARKS[kind]);
  }

  #end(kind: keyof typeof MARKS): void {
    this.#flush();
    if (this.#depths[kind] === 0) return;
    this.#depths[kind] -= 1;
    if (this.#depths[kind] === 0) this.#wanted = this.#wanted.filter((mark) => mark.kind !== kind);
  }

  #startLink(address: string | null): void {
    this.#endLink();
    const url = this.#dialect.resolve(address);
    if (url === null) return;
    this.#label = 0;
    this.#wanted.push({ kind: 'link', opening: '[', closing: `](<${url}>)` });
  }

  #endLink(): void {
    this.#flush();
    this.#wanted = this.#wanted.filter(({ kind }) => kind !== 'link');
    const at = this.#open.findIndex(({ kind }) => kind === 'link');
    if (at >= 0) this.#closeFrom(at);
  }

  #startHeading(): void {
    this.#break(PARAGRAPH);
    this.#headings += 1;
    this.#begin('bold');
  }

  #endHeading(): void {
    this.#break(PARAGRAPH);
    if (this.#headings === 0) return;
    this.#headings -= 1;
    this.#end('bold');
  }

  #video(address: string | null): void {
    const url = this.#dialect.resolve(address);
    if (url === null) return;
    this.#endLink();
    this.#break(PARAGRAPH);
    this.#closeFrom(0);
    this.#startText();
    this.#written.push(`[Video](<${url}>)`);
    this.#break(PARAGRAPH);
  }

  // Blocks

  /** Ends the line or paragraph; inside a label or a cell it inserts a space. */
  #break(lines: number, andEnd: () => void = () => undefined): void {
    this.#flush();
    andEnd();
    const isInItem = this.#lists.some(({ isItemOpen }) => isItemOpen);
    this.#breakDue = Math.max(this.#breakDue, isInItem ? LINE : lines);
    if (!this.#isInLabel()) this.#closeFrom(0);
  }

  #startQuote(): void {
    this.#break(PARAGRAPH);
    this.#quotes += 1;
  }

  #endQuote(): void {
    this.#break(PARAGRAPH);
    this.#quotes = Math.max(0, this.#quotes - 1);
  }

  #startList(isOrdered: boolean): void {
    this.#break(PARAGRAPH);
    if (this.#lists.length < MOST_NESTED_LISTS) {
      this.#lists.push({ isOrdered, items: 0, isItemOpen: false, isMarkerDue: false, width: 0 });
    } else this.#listsTooDeep += 1;
  }

  #endList(): void {
    this.#flush();
    if (this.#listsTooDeep > 0) this.#listsTooDeep -= 1;
    else this.#lists.pop();
    this.#break(PARAGRAPH);
  }

  #startItem(): void {
    if (this.#lists.length === 0) this.#startList(false);
    this.#break(LINE);
    Object.assign(this.#lists.at(-1) ?? {}, { isItemOpen: true, isMarkerDue: true, width: 0 });
  }

  #endItem(): void {
    this.#break(LINE);
    Object.assign(this.#lists.at(-1) ?? {}, { isItemOpen: false, isMarkerDue: false, width: 0 });
  }

  // Tables. A nested table is written as if it followed the content before it.

  #startTable(): void {
    this.#break(PARAGRAPH, () => this.#endRow());
    this.#tables += 1;
  }

  #endTable(): void {
    this.#break(PARAGRAPH, () => this.#endRow());
    this.#tables = Math.max(0, this.#tables - 1);
  }

  #startRow(): void {
    if (this.#tables === 0) return;
    this.#break(LINE, () => this.#endRow());
    this.#row = { cells: 0, hasText: false, separators: 0 };
  }

  #endRow(): void {
    this.#endCell();
    if (this.#row?.hasText) this.#written.push(' |'.repeat(this.#row.separators));
    this.#row = null;
  }

  #startCell(isHeading: boolean): void {
    if (this.#tables === 0) return;
    if (this.#row) this.#endCell();
    else this.#startRow();
    if (!this.#row) return;
    if (this.#row.cells > 0) this.#row.separators += 1;
    this.#row.cells += 1;
    this.#cell = isHeading ? 'heading' : 'plain';
    if (isHeading) this.#begin('bold');
  }

  #endCell(): void {
    this.#flush();
    if (this.#cell === 'none') return;
    this.#endLink();
    if (this.#cell === 'heading') this.#end('bold');
    this.#cell = 'none';
    this.#closeFrom(0);
    this.#isSpaceDue = false;
    if (this.#row?.hasText) this.#breakDue = 0;
  }

  // Text

  #flush(): void {
    if (this.#pieces.length === 0) return;
    const text = withoutUnseen(this.#pieces.join(''));
    this.#pieces = [];
    const lines = this.#preformatted > 0 ? text.split('\n') : [text];
    for (const [index, line] of lines.entries()) {
      if (index > 0) this.#break(LINE);
      this.#line(line);
    }
  }

  #line(text: string): void {
    const folded = text.replace(/\s+/g, ' ');
    if (folded.startsWith(' ')) this.#isSpaceDue = true;
    const words = folded.trim();
    if (words === '') return;
    if (this.#wanted.some(({ kind }) => kind === 'link')) this.#writeLabel(words);
    else this.#write(words);
    this.#isSpaceDue = folded.endsWith(' ');
  }

  /**
   * Writes as much as the label has room for inside the link, and the rest after it, because an overlong label breaks
   * the link.
   */
  #writeLabel(words: string): void {
    const room = Math.max(0, Math.floor((MOST_LABEL - this.#label) / 2));
    if (words.length <= room) {
      this.#write(words);
      return;
    }
    const end = words.lastIndexOf(' ', room);
    if (end > 0) this.#write(words.slice(0, end));
    this.#endLink();
    this.#isSpaceDue ||= end > 0;
    this.#write(words.slice(Math.max(0, end)).trim());
  }

  #write(words: string): void {
    const isLabel = this.#wanted.some(({ kind }) => kind === 'link');
    // Text with special characters can't be code: nothing can be escaped inside a code span.
    const isCode = this.#depths.code > 0 && this.#preformatted === 0 && !isLabel && !/[\\*[\]<>`]/.test(words);
    const marks = this.#wanted.filter(({ kind }) => kind !== 'code');
    if (isCode) marks.push(MARKS.code);
    const firstToClose = this.#open.findIndex((mark, index) => mark !== marks[index]);
    if (firstToClose >= 0) this.#closeFrom(firstToClose);
    this.#startText();
    const from = this.#written.length;
    this.#written.push(...marks.slice(this.#open.length).map(({ opening }) => opening));
    this.#open = marks;
    this.#written.push(isCode ? words : this.#dialect.escape(words));
    if (isLabel) for (const part of this.#written.slice(from)) this.#label += part.length;
  }

  /** Writes the separator between the last text and the next. */
  #startText(): void {
    const isInLabel = this.#isInLabel();
    if (this.#row && this.#cell !== 'none' && !isInLabel) this.#startTextOfCell(this.#row);
    else if (isInLabel && this.#breakDue > 0) {
      this.#written.push(' ');
      this.#label += 1;
    } else if (this.#written.length === 0 || this.#breakDue > 0) this.#startLine();
    else if (this.#isSpaceDue) this.#written.push(' ');
    this.#breakDue = 0;
    this.#isSpaceDue = false;
  }

  #startTextOfCell(row: Row): void {
    if (!row.hasText) {
      this.#startLine();
      this.#written.push('| '.repeat(row.separators));
    } else if (row.separators > 0) this.#written.push(' |'.repeat(row.separators), ' ');
    else if (this.#isSpaceDue || this.#breakDue > 0) this.#written.push(' ');
    row.hasText = true;
    row.separators = 0;
  }

  /** Discord ends a quote at a line without a quote mark, so empty lines need one too. */
  #startLine(): void {
    const isQuoted = this.#quotes > 0;
    const isQuoteGoingOn = isQuoted && this.#isLineQuoted;
    if (this.#written.length > 0)
      this.#written.push(this.#breakDue < PARAGRAPH ? '\n' : isQuoteGoingOn ? '\n> \n' : '\n\n');
    this.#isLineQuoted = isQuoted;
    if (isQuoted) this.#written.push('> ');
    for (const list of this.#lists) if (list.isItemOpen) this.#written.push(indentOf(list));
  }

  #isInLabel(): boolean {
    return this.#open.some(({ kind }) => kind === 'link');
  }

  #closeFrom(index: number): void {
    for (const { closing } of this.#open.slice(index).reverse()) this.#written.push(closing);
    this.#open = this.#open.slice(0, index);
  }
}

/** The item's marker before its first text, and the same width in spaces before its other lines. */
function indentOf(list: List): string {
  if (!list.isMarkerDue) return ' '.repeat(list.width);
  list.items += 1;
  list.isMarkerDue = false;
  const marker = list.isOrdered ? `${list.items}. ` : '- ';
  list.width = marker.length;
  return marker;
}
