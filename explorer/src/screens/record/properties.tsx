import type { JSX } from "preact";
import type { Entity } from "../../format/entity.ts";
import { showValue } from "../../format/show-value.ts";
import type { Property, StructuredType } from "../../model/model.ts";
import { BinaryValue } from "./binary-value.tsx";

/** Shows all properties of a record with their whole values. */
export function Properties(props: { readonly type: StructuredType; readonly entity: Entity }): JSX.Element {
  const { type, entity } = props;
  // Open types have properties that the model does not declare.
  const further = Object.keys(entity.values).filter((name) => !name.includes("@") && !type.navigations.has(name));
  const names = new Set([...type.properties.keys(), ...further]);
  return (
    <dl class="properties">
      {[...names]
        .filter((name) => Object.hasOwn(entity.values, name))
        .map((name) => {
          const property = type.properties.get(name) ?? null;
          const note = property?.description ?? property?.label ?? null;
          return (
            <div key={name} class="property">
              <dt>
                <span>{name}</span>
                {property !== null && type.key.includes(property) ? <span class="tag">key</span> : null}
                {note === null ? null : (
                  <span class="property-note" dir="auto">
                    {note}
                  </span>
                )}
              </dt>
              <dd>
                <WholeValue value={entity.values[name]} property={property} />
              </dd>
            </div>
          );
        })}
    </dl>
  );
}

/** Shows a value whole: nothing is cut, and the exact value stands beside one in the words of the locale. */
function WholeValue({ value, property }: { readonly value: unknown; readonly property: Property | null }): JSX.Element {
  const type = property === null || property.isCollection ? null : property.type;
  const { kind, text, exact } = showValue(value, type);
  if (kind === "json") return <Folded text={text} exact={exact} />;
  if (kind === "binary") {
    return <BinaryValue value={exact} name={property?.name ?? "value"} mediaType={property?.mediaType ?? null} />;
  }
  if (kind === "text" && isWebUrl(text)) {
    return (
      <a href={text} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  }
  const json = kind === "text" ? readJson(text) : null;
  if (json !== null) return <Folded text={text.slice(0, 60)} exact={JSON.stringify(json, null, 2)} />;
  return (
    <>
      <span class={`value-whole value-${kind}`} dir={kind === "text" ? "auto" : undefined}>
        {text}
      </span>
      {kind === "date" || (kind === "number" && text !== exact) ? <code class="dim small">{exact}</code> : null}
    </>
  );
}

function Folded({ text, exact }: { readonly text: string; readonly exact: string }): JSX.Element {
  return (
    <details>
      <summary>
        <code>{text}</code>
      </summary>
      <pre tabIndex={0}>{exact}</pre>
    </details>
  );
}

/** Reads a text that is an object or array of JSON; null for others. */
function readJson(text: string): unknown {
  try {
    return /^\s*[[{]/u.test(text) ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Returns whether a text is a URL of the web: no other scheme, such as `javascript:`, is safe to follow. */
function isWebUrl(text: string): boolean {
  return /^https?:\/\/[^\s/]/iu.test(text) && URL.canParse(text);
}
