/**
 * Flowcharts as numbered steps. docs/ has them in Mermaid, which code hosts draw. A list of questions says the same,
 * fits a phone, can be read aloud, and needs no library of several megabytes.
 */

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly isDotted: boolean;
}

const NODE = String.raw`(\w+)(?:\["(.*?)"\]|\{"(.*?)"\})?`;
const EDGE = new RegExp(String.raw`^${NODE}\s+(-->|--\s*(.*?)\s*-->|-\.\s*"?(.*?)"?\s*\.->)\s+${NODE}$`);

/** The steps of a flowchart in Mermaid, as HTML. What this does not understand ends the build. */
export function flowchart(source: string): string {
  const texts = new Map<string, string>();
  const edges: Edge[] = [];
  for (const line of source.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('flowchart')) continue;
    const match = EDGE.exec(line);
    if (match === null) throw new Error(`A flowchart has a line that the website cannot show: ${line}`);
    const [, from = '', box, diamond, , label, dotted, to = '', toBox, toDiamond] = match;
    for (const [id, text] of [
      [from, box ?? diamond],
      [to, toBox ?? toDiamond],
    ] as const) {
      if (text !== undefined) texts.set(id, text);
    }
    edges.push({ from, to, label: label ?? dotted ?? '', isDotted: dotted !== undefined });
  }
  const steps = [...new Set(edges.map(({ from }) => from))];
  const textOf = (id: string): string => (texts.get(id) ?? id).replaceAll('<br/>', ' ');
  const target = (id: string): string => {
    const step = steps.indexOf(id);
    return step === -1 ? `<strong>${textOf(id)}</strong>` : `step ${step + 1}`;
  };
  const item = (step: string, index: number): string => {
    const leaving = edges.filter(({ from }) => from === step);
    // A step that only leads to the next one needs no words for it.
    if (leaving.length === 1 && leaving[0]?.to === steps[index + 1]) return `<li>${textOf(step)}</li>`;
    const outs = leaving.map(({ to, label, isDotted }) => {
      const words = label === '' ? 'Go on with' : `${label}:`;
      return `<li${isDotted ? ' class="dotted"' : ''}>${words} ${target(to)}</li>`;
    });
    return `<li>${textOf(step)}<ul>${outs.join('')}</ul></li>`;
  };
  return `<ol class="flowchart">${steps.map(item).join('')}</ol>\n`;
}
