import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { pictureType } from "../../format/picture-type.ts";
import { showValue } from "../../format/show-value.ts";
import type { PropertyType } from "../../model/model.ts";

/** Shows a value whole: nothing is cut, and the exact value stands beside one in the words of the locale. */
export function WholeValue(props: {
  /** The name of the file that bytes are saved as. */
  readonly name: string;
  readonly value: unknown;
  readonly type: PropertyType | null;
}): JSX.Element {
  const { kind, text, exact } = showValue(props.value, props.type);
  if (kind === "binary") return <BinaryValue name={props.name} base64url={exact} size={text} />;
  const json = kind === "json" ? exact : readJson(text);
  if (json !== null) {
    return (
      <details>
        <summary>
          <code>{kind === "json" ? text : text.slice(0, 60)}</code>
        </summary>
        <pre tabIndex={0}>{json}</pre>
      </details>
    );
  }
  // No other scheme, such as `javascript:`, is safe to follow.
  if (kind === "text" && /^https?:\/\/[^\s/]/iu.test(text) && URL.canParse(text)) {
    return (
      <a href={text} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  }
  return (
    <>
      <span class={`value-whole value-${kind}`} dir={kind === "text" ? "auto" : undefined}>
        {text}
      </span>
      {kind === "date" || (kind === "number" && text !== exact) ? <code class="dim small">{exact}</code> : null}
    </>
  );
}

/** Returns a text that is an object or array of JSON with line breaks; null for others. */
function readJson(text: string): string | null {
  try {
    return /^\s*[[{]/u.test(text) ? JSON.stringify(JSON.parse(text), null, 2) : null;
  } catch {
    return null;
  }
}

/** Shows bytes as a picture where they are one, and offers them as a file. */
function BinaryValue({ name, base64url, size }: Readonly<Record<"name" | "base64url" | "size", string>>): JSX.Element {
  const picture = pictureType(base64url);
  const url = useMemo(() => {
    const bytes = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    const type = picture === null ? "application/octet-stream" : `image/${picture}`;
    return URL.createObjectURL(new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], { type }));
  }, [base64url, picture]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <span class="binary">
      {picture === null ? null : <img src={url} alt={`Picture of ${name}`} />}
      <a href={url} download={picture === null ? name : `${name}.${picture}`}>{`Download ${name} (${size})`}</a>
    </span>
  );
}
