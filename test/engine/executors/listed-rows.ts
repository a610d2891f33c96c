/** Returns the entities of a response, whose status and blank precede its body. */
export function listedRows(answer: string): readonly Readonly<Record<string, unknown>>[] {
  const body: unknown = JSON.parse(answer.slice("200 ".length));
  const listed = typeof body === "object" && body !== null && "value" in body ? body.value : body;
  return listed as readonly Readonly<Record<string, unknown>>[];
}

/** Returns a primitive value of JSON as a text. */
export function textOfValue(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
