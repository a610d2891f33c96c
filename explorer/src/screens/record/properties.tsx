import type { JSX } from "preact";
import type { Entity } from "../../format/entity.ts";
import { showValue } from "../../format/show-value.ts";
import type { Property, StructuredType } from "../../model/model.ts";
import { ExternalLink, isWebUrl } from "../../parts/link.tsx";
import type { OpenSession } from "../../state/session.ts";
import { BinaryValue } from "./binary-value.tsx";

/** Shows all properties of a record with their whole values. */
export function Properties(props: {
  readonly session: OpenSession;
  readonly path: string;
  readonly type: StructuredType;
  readonly entity: Entity;
}): JSX.Element {
  const { type, entity } = props;
  const shown = [...type.properties.values()].filter(({ name }) => Object.hasOwn(entity.values, name));
  // Open types have properties that the model does not declare.
  const further = Object.keys(entity.values).filter(
    (name) => !name.includes("@") && !type.properties.has(name) && !type.navigations.has(name),
  );
  return (
    <dl class="properties">
      {shown.map((property) => (
        <div key={property.name} class="property">
          <PropertyName property={property} isKey={type.key.includes(property)} />
          <dd>
            <WholeValue value={entity.values[property.name]} property={property} />
          </dd>
        </div>
      ))}
      {further.map((name) => (
        <div key={name} class="property">
          <dt>{name}</dt>
          <dd>
            <WholeValue value={entity.values[name]} property={null} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function PropertyName({ property, isKey }: { readonly property: Property; readonly isKey: boolean }): JSX.Element {
  const { name, label, description } = property;
  return (
    <dt>
      <span>{name}</span>
      {isKey ? <span class="tag">key</span> : null}
      {description === null && label === null ? null : (
        <span class="property-note" dir="auto">
          {description ?? label}
        </span>
      )}
    </dt>
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
  if (kind === "text" && isWebUrl(text)) return <ExternalLink url={text} />;
  if (kind === "text" && isJson(text)) {
    return <Folded text={text.slice(0, 60)} exact={JSON.stringify(JSON.parse(text), null, 2)} />;
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

/** Returns whether a text is an object or array of JSON. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/u.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
