// Golden scripts: a story in comment lines, commands, `----`, the answers. `---- 2.9.10` below them gives the answers
// of a target that is known under that name instead. A blank line ends a block.

import type { Capability, GoldenTarget } from './golden-target.ts';

/** Answers for the targets that carry one of the labels; no label: for all others. */
interface Answers {
  readonly labels: readonly string[];
  readonly lines: readonly string[];
}

export interface Block {
  /** Comments and blank lines above the commands. */
  readonly lead: readonly string[];
  readonly commands: readonly string[];
  readonly answers: readonly Answers[];
}

export interface Script {
  readonly needs: readonly Capability[];
  readonly blocks: readonly Block[];
}

/** One line a command in, the lines that it prints out. */
export type Interpreter = (command: string) => Promise<readonly string[]>;

const rule = '----';

/** Reads a script. Throws with the line number when a block has no `----`, or there is no story at the top. */
export function parseScript(text: string): Script {
  const lines = text.replace(/\n+$/, '').split('\n');
  const hasStory = (lines[0] ?? '').startsWith('#');
  if (!hasStory) throw new Error('line 1: a golden script opens with its story, in # lines');
  const needs: Capability[] = [];
  const blocks: Block[] = [];
  let lead: string[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at] ?? '';
    if (line === '' || line.startsWith('#')) {
      lead.push(line);
      at += 1;
    } else if (line.startsWith('needs ')) {
      needs.push(line.slice('needs '.length) as Capability);
      lead.push(line);
      at += 1;
    } else {
      const end = lines.indexOf('', at);
      const body = lines.slice(at, end < 0 ? lines.length : end);
      blocks.push(parseBlock(lead, body, at + 1));
      lead = [];
      at += body.length;
    }
  }
  return { needs, blocks };
}

function parseBlock(lead: readonly string[], body: readonly string[], lineNumber: number): Block {
  const first = body.findIndex((line) => line.startsWith(rule));
  if (first < 0) throw new Error(`line ${lineNumber}: commands without ${rule} below them`);
  const answers: { labels: string[]; lines: string[] }[] = [];
  for (const line of body.slice(first)) {
    if (line.startsWith(rule)) answers.push({ labels: labelsOf(line), lines: [] });
    else answers.at(-1)?.lines.push(line);
  }
  return { lead, commands: body.slice(0, first).filter((line) => !line.startsWith('#')), answers };
}

function labelsOf(line: string): string[] {
  const words = line.slice(rule.length).split(' ');
  return words.filter((word) => word !== '');
}

/** The text of a script; `parseScript` of it gives the script again. */
export function formatScript(script: Script): string {
  const lines = script.blocks.flatMap((block) => [
    ...block.lead,
    ...block.commands,
    ...block.answers.flatMap(({ labels, lines: answer }) => [[rule, ...labels].join(' '), ...answer]),
  ]);
  return `${lines.join('\n')}\n`;
}

/** What a block must print on a target: the answers under its most telling label, else the common ones. */
export function expectedLines(block: Block, labels: readonly string[]): readonly string[] {
  for (const label of labels) {
    const own = block.answers.find((answers) => answers.labels.includes(label));
    if (own !== undefined) return own.lines;
  }
  return block.answers.find((answers) => answers.labels.length === 0)?.lines ?? [];
}

/** The block with what a target printed: as the common answers when it is the `primary` one, else under its label. */
export function rewriteBlock(
  block: Block,
  label: string,
  isPrimary: boolean,
  printed: readonly string[],
): Block {
  if (isPrimary) {
    const others = block.answers.filter(
      (answers) => answers.labels.length > 0 && !sameLines(answers.lines, printed),
    );
    return { ...block, answers: [{ labels: [], lines: printed }, ...others] };
  }
  const others = block.answers
    .map(({ labels, lines }) => ({ labels: labels.filter((other) => other !== label), lines }))
    .filter(({ labels }, index) => labels.length > 0 || block.answers[index]?.labels.length === 0);
  const common = expectedLines({ ...block, answers: others }, []);
  if (sameLines(common, printed)) return { ...block, answers: others };
  const twin = others.findIndex(({ labels, lines }) => labels.length > 0 && sameLines(lines, printed));
  if (twin < 0) return { ...block, answers: [...others, { labels: [label], lines: printed }] };
  const joined = others.map(({ labels, lines }, index) => ({
    labels: index === twin ? [...labels, label] : labels,
    lines,
  }));
  return { ...block, answers: joined };
}

function sameLines(left: readonly string[], right: readonly string[]): boolean {
  return left.join('\n') === right.join('\n');
}

/** Carries out a script; the lines printed, block by block. */
export async function runScript(
  script: Script,
  interpret: Interpreter,
): Promise<readonly (readonly string[])[]> {
  const printed: string[][] = [];
  for (const block of script.blocks) {
    const lines: string[] = [];
    for (const command of block.commands) lines.push(...(await interpret(command)));
    printed.push(lines);
  }
  return printed;
}

/** A script as it reads on one target: each command block with one set of answers. For comparing expected and printed. */
export function transcript(
  script: Script,
  answersOf: (block: Block, index: number) => readonly string[],
): string {
  return script.blocks
    .map((block, index) => [...block.commands, rule, ...answersOf(block, index), ''].join('\n'))
    .join('\n');
}

/** Whether a target can do all that a script needs. */
export function canRun(needs: Script['needs'], capabilities: GoldenTarget['capabilities']): boolean {
  return needs.every((need) => capabilities.has(need));
}
