import type { Column, Table } from '../figures/figure.ts';
import { html, type Markup, type Piece } from '../html.ts';

/** A table that scrolls in its own box, which the keyboard reaches. */
export function tableMarkup(table: Table, caption: string): Markup {
  return tableOf(table.columns, table.rows, caption);
}

/** The same where cells are markup. The first column names its row. */
export function tableOf(
  columns: readonly Column[],
  rows: readonly (readonly Piece[])[],
  caption: string,
): Markup {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption class="sr">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(headCell)}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row) => bodyRow(row, columns))}
      </tbody>
    </table>
  </div>`;
}

function headCell(column: Column): Markup {
  return column.isNumber
    ? html`<th scope="col" class="n">${column.title}</th>`
    : html`<th scope="col">${column.title}</th>`;
}

function bodyRow(row: readonly Piece[], columns: readonly Column[]): Markup {
  const cells = row.map((cell, index) => {
    if (index === 0) return html`<th scope="row">${cell}</th>`;
    return columns[index]?.isNumber === true ? html`<td class="n">${cell}</td>` : html`<td>${cell}</td>`;
  });
  return html`<tr>
    ${cells}
  </tr>`;
}
