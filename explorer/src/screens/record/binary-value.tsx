import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { pictureType } from "../../format/picture-type.ts";
import { showValue } from "../../format/show-value.ts";

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
  const picture = pictureType(value);
  const url = useUrl(bytes, picture === null ? "application/octet-stream" : `image/${picture}`);
  const size = showValue(value, { kind: "primitive", name: "Edm.Binary" }).text;
  if (bytes === null || url === null) return <span class="dim">{size}</span>;
  return (
    <span class="binary">
      {picture === null ? null : <img src={url} alt={`Picture of ${name}`} />}
      <a href={url} download={picture === null ? name : `${name}.${picture}`}>
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
