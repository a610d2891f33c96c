import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { showValue } from "../../format/show-value.ts";

/** Pictures that a browser shows without running anything in them, by their first bytes. */
const PICTURES: readonly { readonly type: string; readonly start: readonly number[] }[] = [
  { type: "image/png", start: [0x89, 0x50, 0x4e, 0x47] },
  { type: "image/jpeg", start: [0xff, 0xd8, 0xff] },
  { type: "image/gif", start: [0x47, 0x49, 0x46, 0x38] },
  { type: "image/bmp", start: [0x42, 0x4d] },
  { type: "image/webp", start: [0x52, 0x49, 0x46, 0x46] },
];

/** Shows bytes as a picture where they are one, and offers them as a file. */
export function BinaryValue(props: {
  /** In base64url. */
  readonly value: string;
  /** The name of the file. */
  readonly name: string;
  readonly mediaType: string | null;
}): JSX.Element {
  const { value, name, mediaType } = props;
  const bytes = useMemo(() => toBytes(value), [value]);
  const picture =
    bytes === null ? undefined : PICTURES.find(({ start }) => start.every((byte, at) => bytes[at] === byte));
  const url = useUrl(bytes, picture?.type ?? "application/octet-stream");
  const size = showValue(value, { kind: "primitive", name: "Edm.Binary" }).text;
  if (bytes === null || url === null) return <span class="dim">{size}</span>;
  return (
    <span class="binary">
      {picture === undefined ? null : <img src={url} alt={`Picture of ${name}`} />}
      <a href={url} download={picture === undefined ? name : `${name}.${picture.type.slice(6)}`}>
        {`Download ${name} (${size}${mediaType === null ? "" : `, ${mediaType}`})`}
      </a>
    </span>
  );
}

function toBytes(value: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(value.replaceAll("-", "+").replaceAll("_", "/")), (character) =>
      character.charCodeAt(0),
    );
  } catch {
    return null;
  }
}

/** Returns a URL for bytes, as long as they are shown. */
function useUrl(bytes: Uint8Array<ArrayBuffer> | null, type: string): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (bytes === null) return undefined;
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type]);
  return url;
}
