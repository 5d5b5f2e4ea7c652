/** The charset parameter of a Content-Type header, in lower case; quotes and extra spaces are allowed. */
export function charsetOf(contentType: string | null): string | undefined {
  const charset = /;\s*charset\s*=\s*("[^"]*"|'[^']*'|[^\s;,]+)/i.exec(contentType ?? '')?.[1];
  return (
    charset
      ?.replace(/^["']|["']$/g, '')
      .trim()
      .toLowerCase() || undefined
  );
}
