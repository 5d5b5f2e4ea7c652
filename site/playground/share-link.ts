/** A link that carries its input in the fragment, which browsers do not send to servers. */

/** What a link carries. */
export interface SharedInput {
  readonly documents: readonly { readonly name: string; readonly url: string; readonly text: string }[];
  readonly now: string;
}

/** The longest fragment that mail programs and chats leave alone. */
const MOST_CHARACTERS = 16_000;
/** The most that a link is inflated to: it may come from anyone. */
const MOST_BYTES = 1024 * 1024;
const PREFIX = '#input=';

/** The fragment for an input; undefined where it would be too long. */
export async function fragmentFor(input: SharedInput): Promise<string | undefined> {
  const deflated = new Blob([JSON.stringify(input)])
    .stream()
    .pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer());
  if (bytes.length > MOST_CHARACTERS) return undefined;
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  const fragment = PREFIX + base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return fragment.length > MOST_CHARACTERS ? undefined : fragment;
}

/** The input of a fragment; undefined where it has none. Rejects with a sentence where it is damaged. */
export async function inputOf(fragment: string): Promise<SharedInput | undefined> {
  if (!fragment.startsWith(PREFIX)) return undefined;
  try {
    return checked(JSON.parse(await inflated(fragment.slice(PREFIX.length))));
  } catch {
    throw new Error('The input in this link is damaged. Copy the whole link, up to its last character.');
  }
}

async function inflated(base64: string): Promise<string> {
  const characters = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(characters, (character) => character.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > MOST_BYTES) throw new RangeError('too large');
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
}

/** A link may come from anyone: what is not as expected is refused. */
function checked(value: unknown): SharedInput {
  if (!isRecord(value) || !Array.isArray(value['documents'])) throw new TypeError('not an input');
  const documents = value['documents'].map((document: unknown) => {
    if (!isRecord(document)) throw new TypeError('not a document');
    return { name: string(document['name']), url: string(document['url']), text: string(document['text']) };
  });
  return { documents, now: string(value['now']) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function string(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('not a string');
  return value;
}
