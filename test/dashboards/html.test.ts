import { expect, it } from 'vitest';
import { html } from '../../dashboards/html.ts';

it('makes markup of templates, in which values are text', () => {
  const items = ['a < b', 'say "hi" & go'].map((text) => html`<li title="${text}">${text}</li>`);
  const list = html`<ul>
    ${items}
  </ul>`;
  expect(list.text).toContain('<li title="a &lt; b">a &lt; b</li>');
  expect(list.text).toContain('<li title="say &quot;hi&quot; &amp; go">');
  expect(html`${null}${3}${html`<b>${'x'}</b>`}`.text).toBe('3<b>x</b>');
});

it('ties numbers to their units', () => {
  expect(html`${'took 12 ms, 25.7 % of 3 kB/s at 1 k/s'}`.text).toBe(
    'took 12\u00a0ms, 25.7\u00a0% of 3 kB/s at 1\u00a0k/s',
  );
  expect(html`${'3 seconds, 2 messages'}`.text).toBe('3 seconds, 2 messages');
});
