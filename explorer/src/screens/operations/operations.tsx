import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { memberOf } from "../../client/json-members.ts";
import type { Answer } from "../../client/service-client.ts";
import type { EntityValues } from "../../format/entity.ts";
import { callName } from "../../model/find-in-model.ts";
import type { Operation } from "../../model/model.ts";
import { ButtonLink } from "../../parts/button.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { Description, Heading } from "../../parts/heading.tsx";
import { Empty, NotThere } from "../../parts/loadable.tsx";
import { MemberForm } from "../../parts/member-form.tsx";
import { ValueCell } from "../../parts/value-cell.tsx";
import { isEditedAsJson, toLiteral } from "../../query/literals.ts";
import type { OpenSession, ScreenProps } from "../../state/session.ts";
import { hrefOf, resourceUrl, type View, viewOf } from "../../state/view.ts";

/** Shows the operations of the service; of a path such as `TopOrders` or `Orders(1)/Shop.Ship`, a form for each overload. */
export function Operations({ session, view: { path } }: ScreenProps): JSX.Element {
  const { operations } = session.model;
  const called = path.slice(path.lastIndexOf("/") + 1);
  const overloads = operations.filter(({ importName, qualifiedName }) =>
    called === path ? importName === called : importName === null && qualifiedName === called,
  );
  const [first] = overloads;
  if (path !== "" && first === undefined) return <NotThere path={path} title="The service has no such operation" />;
  return (
    <div class="operations" key={path}>
      <Heading>{first === undefined ? "Operations" : callName(first)}</Heading>
      {first === undefined ? <AllOperations operations={operations} /> : null}
      {overloads.map((operation, index) => (
        <OperationCall key={index} id={`operation ${path} ${String(index)}`} {...{ session, path, operation }} />
      ))}
    </div>
  );
}

function AllOperations({ operations }: { readonly operations: readonly Operation[] }): JSX.Element {
  if (operations.length === 0) return <Empty title="This service has no operations" />;
  return (
    <DataTable
      label="Operations"
      columns={["Name", "Kind", "Of", "Parameters", "Description"]}
      rows={operations.map((operation) => {
        const { kind, parameters, boundTo, boundToCollection, description } = operation;
        const name = callName(operation);
        const link = boundTo === null ? <a href={hrefOf(viewOf("operation", name))}>{name}</a> : name;
        const place = boundTo === null ? "" : `${boundToCollection ? "a collection" : "a record"} of ${boundTo.name}`;
        return [link, kind, place, parameters.map((each) => each.name).join(", "), description];
      })}
    />
  );
}

/** Shows a field for each parameter of an operation, calls it, and shows its result. */
function OperationCall(props: {
  readonly session: OpenSession;
  readonly path: string;
  readonly operation: Operation;
  readonly id: string;
}): JSX.Element {
  const { session, path, operation, id } = props;
  const isAction = operation.kind === "action";
  const [result, setResult] = useState<JSX.Element | null>(null);
  const call = async (values: EntityValues, signal: AbortSignal): Promise<() => void> => {
    setResult(null);
    const called = calledView(path, operation, values);
    const [url, { client }] = [resourceUrl(called), session];
    const answer = await (isAction ? client.send("POST", url, values, { signal }) : client.get(url, { signal }));
    return () => {
      setResult(<Result {...{ operation, answer, called }} />);
      session.announce("The operation has ended.");
    };
  };
  return (
    <>
      <Description text={operation.description} />
      <MemberForm
        class="operation-form"
        form={{ id, view: viewOf("operation", path), title: callName(operation), base: null }}
        members={operation.parameters}
        base={null}
        button={isAction ? "Run the action" : "Call the function"}
        send={call}
      />
      {result}
    </>
  );
}

/** Returns the view of the records that a call reads. The arguments of a function are aliases, which take every value. */
function calledView(path: string, { kind, parameters, result }: Operation, values: EntityValues): View {
  const given = kind === "action" ? [] : parameters.filter(({ name }) => Object.hasOwn(values, name));
  const options = given.map((parameter): [string, string] => {
    const value = values[parameter.name];
    const isJson = isEditedAsJson(parameter) && value !== null;
    return [`@${parameter.name}`, isJson ? JSON.stringify(value) : toLiteral(value, parameter.type)];
  });
  const args = `(${given.map(({ name }) => `${name}=@${name}`).join(",")})`;
  return viewOf(result?.isCollection === true ? "grid" : "record", kind === "action" ? path : path + args, options);
}

/** Shows the result of an operation: a value or JSON, and a link to the records that a function returned. */
function Result(props: { readonly operation: Operation; readonly answer: Answer; readonly called: View }): JSX.Element {
  const { operation, called } = props;
  const { body, status } = props.answer;
  const { type, isCollection } = operation.result ?? { type: null, isCollection: false };
  const structured = type?.kind === "complex" ? type.type.kind : null;
  // A value or a list is a member of an object, or the whole body in some services.
  const value = structured === null || isCollection ? (memberOf(body, "value") ?? body) : body;
  if (type === null || value === null) return <p>{`Done: the service answered with the status ${String(status)}.`}</p>;
  return (
    <section class="operation-result" aria-label="Result">
      <h2>Result</h2>
      {structured === "entity" && operation.kind === "function" ? (
        <ButtonLink href={hrefOf(called)}>{`Open the ${called.screen}`}</ButtonLink>
      ) : null}
      {typeof value === "object" ? (
        <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
      ) : (
        <p class="operation-value">
          <ValueCell value={value} type={type} />
        </p>
      )}
    </section>
  );
}
