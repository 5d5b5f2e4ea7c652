const encoder = new TextEncoder();

/** One text at a time as UTF-8, in memory that is used again. */
export class TextBytes {
  bytes: Uint8Array = new Uint8Array(256);
  view: DataView = new DataView(this.bytes.buffer);
  length = 0;

  take(text: string): this {
    // UTF-8 has at most three bytes for a code unit.
    if (text.length * 3 > this.bytes.length) {
      this.bytes = new Uint8Array(text.length * 3 + 256);
      this.view = new DataView(this.bytes.buffer);
    }
    this.length = encoder.encodeInto(text, this.bytes).written;
    return this;
  }
}
