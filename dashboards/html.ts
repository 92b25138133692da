// Markup by template, where every value is text unless it was made here: names that users choose stay text (case C153).

/** Text that is already markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = string | number | null | Markup | readonly Piece[];

/** `html\`<p>${name}</p>\``: strings are escaped, markup is not, lists are joined, null is nothing. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const parts = pieces.map((piece, index) => `${textOf(piece)}${unindented(strings[index + 1])}`);
  return new Markup(`${unindented(strings[0])}${parts.join('')}`);
}

// Indentation is for the reader of the source; the page has hundreds of rows.
function unindented(text: string | undefined): string {
  return (text ?? '').replace(/\n\s+/g, '\n');
}

/** Text for element content and double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

// A number and its unit stay on one line.
function withUnitsTied(text: string): string {
  return text.replace(/(\d) (?=(?:%|[nµm]?s|[kMGT]?i?B|[kMG]\/s)(?![\w/]))/g, '$1\u00a0');
}

function textOf(piece: Piece): string {
  if (piece === null) return '';
  if (typeof piece === 'string') return escapeHtml(withUnitsTied(piece));
  if (typeof piece === 'number') return String(piece);
  return piece instanceof Markup ? piece.text : piece.map(textOf).join('');
}
