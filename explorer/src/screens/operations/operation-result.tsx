import type { JSX } from "preact";
import { memberOf } from "../../client/json-members.ts";
import type { Answer } from "../../client/service-client.ts";
import type { Model, Operation, StructuredType } from "../../model/model.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { keyPredicate } from "../../query/literals.ts";
import { hrefOf, viewOf } from "../../state/view.ts";

/** Shows what an operation returned: a value, a link to the grid or the record, or JSON. */
export function OperationResult(props: {
  readonly model: Model;
  readonly operation: Operation;
  readonly answer: Answer;
  /** The path of the call. */
  readonly path: string;
}): JSX.Element {
  const { operation, answer } = props;
  const { result } = operation;
  return (
    <section class="operation-result" aria-labelledby="result">
      <h2 id="result">Result</h2>
      {answer.body === null || result === null ? (
        <p>{`Done: the service answered with the status ${String(answer.status)}.`}</p>
      ) : (
        <Returned {...props} />
      )}
    </section>
  );
}

function Returned({ model, operation, answer, path }: Parameters<typeof OperationResult>[0]): JSX.Element {
  const { result, kind } = operation;
  const type = result?.type ?? null;
  if (type === null || type.kind !== "complex") {
    const value = valueIn(answer.body);
    return Array.isArray(value) ? (
      <Json value={value} />
    ) : (
      <p class="operation-value">
        <ValueCell value={value} type={type} />
      </p>
    );
  }
  const record =
    type.type.kind === "entity" && result?.isCollection === false
      ? recordPath(model, operation, type.type, answer)
      : null;
  return (
    <>
      {record === null ? null : <ButtonLink href={hrefOf(viewOf("record", record))}>Open the record</ButtonLink>}
      {kind === "function" && type.type.kind === "entity" && result?.isCollection === true ? (
        <ButtonLink href={hrefOf(viewOf("grid", path))}>Open in the grid</ButtonLink>
      ) : null}
      <Json value={memberOf(answer.body, "value") ?? answer.body} />
    </>
  );
}

/** Values of the profile "specification" stand alone, others are members of an object. */
function valueIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && Object.hasOwn(body, "value") ? memberOf(body, "value") : body;
}

function Json({ value }: { readonly value: unknown }): JSX.Element {
  return <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>;
}

function recordPath({ sets }: Model, { entitySet }: Operation, type: StructuredType, { body }: Answer): string | null {
  const set = sets.get(entitySet ?? "");
  if (set?.abilities.canReadByKey !== true || typeof body !== "object" || body === null) return null;
  const key = keyPredicate(type, body as Readonly<Record<string, unknown>>);
  return key === null ? null : `${set.name}${key}`;
}
