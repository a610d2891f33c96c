import { useEffect, useState } from "preact/hooks";

/**
 * Edits a value whose text is kept elsewhere. What has no text yet, such as an unfinished condition, stays as long as the text
 * is the one that the value has written.
 */
export function useEdited<Value>(
  text: string,
  codec: { readonly read: (text: string) => Value; readonly write: (value: Value) => string },
  onText: (text: string) => void,
): readonly [value: Value, change: (value: Value) => void] {
  const [edited, setEdited] = useState<{ readonly text: string; readonly value: Value } | null>(null);
  useEffect(() => setEdited((last) => (last?.text === text ? last : null)), [text]);
  const value = edited?.text === text ? edited.value : codec.read(text);
  const change = (next: Value): void => {
    const written = codec.write(next);
    setEdited({ text: written, value: next });
    onText(written);
  };
  return [value, change];
}
