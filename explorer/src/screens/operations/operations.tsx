import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { callName } from "../../model/find-in-model.ts";
import type { Model, Operation } from "../../model/model.ts";
import { SelectField } from "../../parts/field.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Empty } from "../../parts/loadable.tsx";
import type { ScreenProps } from "../../state/session.ts";
import { hrefOf, viewOf } from "../../state/view.ts";
import { findOperations } from "./call-operation.ts";
import { OperationForm } from "./operation-form.tsx";

/** Shows the operations of the service, or a form to call one of them. */
export function Operations(props: ScreenProps): JSX.Element {
  const { path } = props.view;
  if (path === "") return <AllOperations model={props.session.model} />;
  return <OneOperation {...props} key={path} />;
}

function AllOperations({ model }: { readonly model: Model }): JSX.Element {
  const imports = model.operations.filter(({ importName }) => importName !== null);
  const bound = model.operations.filter(({ boundTo }) => boundTo !== null);
  return (
    <div class="operations">
      <Heading>Operations</Heading>
      {imports.length + bound.length === 0 ? (
        <Empty title="This service has no operations">
          <p>Functions and actions appear here once the service declares them.</p>
        </Empty>
      ) : null}
      <ul class="operation-list">
        {imports.map((operation, index) => (
          <li key={index}>
            <a href={hrefOf(viewOf("operation", callName(operation)))}>{callName(operation)}</a>
            <OperationFacts operation={operation} />
          </li>
        ))}
        {bound.map((operation, index) => (
          <li key={index}>
            <strong>{operation.name}</strong>
            <OperationFacts operation={operation} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function OperationFacts({ operation }: { readonly operation: Operation }): JSX.Element {
  const { kind, parameters, description, boundTo, boundToCollection } = operation;
  const names = parameters.map(({ name }) => name).join(", ");
  return (
    <p class="dim" dir="auto">
      {`${kind}(${names})`}
      {boundTo === null ? "" : `, from ${boundToCollection ? "a collection" : "a record"} of ${boundTo.name}`}
      {description === null ? "" : `: ${description}`}
    </p>
  );
}

function OneOperation({ session, view }: ScreenProps): JSX.Element {
  const { binding, overloads } = findOperations(session.model.operations, view.path);
  const [chosen, choose] = useState(0);
  const operation = overloads[chosen];
  if (operation === undefined) {
    return (
      <>
        <Heading>{view.path}</Heading>
        <Empty title="The service has no such operation">
          <a href={hrefOf(viewOf("operation"))}>See all operations</a>
        </Empty>
      </>
    );
  }
  return (
    <div class="operations">
      <Heading>{callName(operation)}</Heading>
      {operation.description === null ? null : (
        <p class="measure" dir="auto">
          {operation.description}
        </p>
      )}
      {overloads.length < 2 ? null : (
        <SelectField
          label="Parameters"
          value={String(chosen)}
          choices={overloads.map(({ parameters }, index) => ({
            value: String(index),
            label: parameters.map(({ name }) => name).join(", ") || "None",
          }))}
          onChange={(value) => choose(Number(value))}
        />
      )}
      <OperationForm key={chosen} session={session} operation={operation} binding={binding} />
    </div>
  );
}
