import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Answer } from "../../client/service-client.ts";
import { isAbort, ServiceError } from "../../client/service-error.ts";
import type { Operation, Parameter } from "../../model/model.ts";
import { BusyBar } from "../../parts/busy.tsx";
import { Button } from "../../parts/button.tsx";
import { Failure } from "../../parts/failure.tsx";
import { ValueField } from "../../parts/value-field.tsx";
import { readTypedJson } from "../../query/typed-json.ts";
import { resourceUrl } from "../../state/resource-url.ts";
import type { OpenSession } from "../../state/session.ts";
import { callPath } from "./call-operation.ts";
import { OperationResult } from "./operation-result.tsx";

/** What the form of an operation calls. */
export interface Callable {
  readonly session: OpenSession;
  readonly operation: Operation;
  /** The path of the resource that the operation is bound to; empty for an import. */
  readonly binding: string;
}

type Run =
  | { readonly kind: "idle" }
  | { readonly kind: "running" }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "done"; readonly answer: Answer; readonly path: string };

/** What was typed for a parameter: undefined leaves it out, null is the value null. */
type Typed = string | null | undefined;

/** Shows a field for each parameter, and calls the operation. */
export function OperationForm(callable: Callable): JSX.Element {
  const { session, operation } = callable;
  const [typed, setTyped] = useState<ReadonlyMap<string, Typed>>(() => initial(operation));
  const { run, faults, start, stop } = useCall(callable, typed);
  return (
    <>
      <form
        class="operation-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          start();
        }}
      >
        {operation.parameters.map((parameter) => (
          <ParameterField
            key={parameter.name}
            parameter={parameter}
            typed={typed.get(parameter.name)}
            error={faults.get(parameter.name) ?? null}
            onChange={(value) => setTyped(new Map([...typed, [parameter.name, value]]))}
          />
        ))}
        <Button type="submit" kind="primary">
          {operation.kind === "action" ? "Run the action" : "Call the function"}
        </Button>
      </form>
      {run.kind === "running" ? <BusyBar label={`Calling ${operation.name}`} onStop={stop} /> : null}
      {run.kind === "failed" ? <Failure error={run.error} /> : null}
      {run.kind === "done" ? (
        <OperationResult model={session.model} operation={operation} answer={run.answer} path={run.path} />
      ) : null}
    </>
  );
}

/** Calls the operation with what was typed. */
function useCall(callable: Callable, typed: ReadonlyMap<string, Typed>) {
  const { session, operation } = callable;
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [run, setRun] = useState<Run>({ kind: "idle" });
  const controller = useRef<AbortController | null>(null);
  const start = (): void => {
    const read = readValues(operation, typed);
    setFaults(read.faults);
    if (read.faults.size > 0) {
      session.announce(`${String(read.faults.size)} fields need another value.`);
      return;
    }
    controller.current?.abort();
    const mine = new AbortController();
    controller.current = mine;
    setRun({ kind: "running" });
    call(callable, read.values, mine.signal).then(
      (done) => {
        session.announce("The operation has ended.");
        setRun(done);
      },
      (error: unknown) => {
        setFaults(faultsOf(error));
        setRun(isAbort(error) ? { kind: "idle" } : { kind: "failed", error });
      },
    );
  };
  return { run, faults, start, stop: () => controller.current?.abort() };
}

function ParameterField(props: {
  readonly parameter: Parameter;
  readonly typed: Typed;
  readonly error: string | null;
  readonly onChange: (typed: Typed) => void;
}): JSX.Element {
  const { parameter, typed, error, onChange } = props;
  const { name, label, description, isNullable, isOptional, defaultValue } = parameter;
  if (isOptional && typed === undefined) {
    return (
      <div class="row">
        <span class="field-label">{label ?? name}</span>
        <span class="dim">{defaultValue === null ? "left out" : `left out: ${defaultValue}`}</span>
        <Button kind="quiet" onClick={() => onChange("")}>{`Give ${label ?? name}`}</Button>
      </div>
    );
  }
  return (
    <ValueField
      label={label ?? name}
      shape={parameter}
      typed={typed ?? null}
      isNullable={isNullable}
      required={!isNullable}
      hint={description ?? undefined}
      error={error}
      onChange={onChange}
    />
  );
}

function initial({ parameters }: Operation): ReadonlyMap<string, Typed> {
  const first = ({ isOptional, isNullable }: Parameter): Typed => {
    if (isOptional) return undefined;
    return isNullable ? null : "";
  };
  return new Map(parameters.map((parameter) => [parameter.name, first(parameter)] as const));
}

function readValues(
  { parameters }: Operation,
  typed: ReadonlyMap<string, Typed>,
): { readonly values: ReadonlyMap<string, unknown>; readonly faults: ReadonlyMap<string, string> } {
  const values = new Map<string, unknown>();
  const faults = new Map<string, string>();
  for (const parameter of parameters) {
    const text = typed.get(parameter.name);
    if (text === undefined) continue;
    if (text === null) {
      if (parameter.isNullable) values.set(parameter.name, null);
      else faults.set(parameter.name, "A value is missing.");
      continue;
    }
    const { value, message } = readTypedJson(text, parameter);
    if (message === null) values.set(parameter.name, value);
    else faults.set(parameter.name, message);
  }
  return { values, faults };
}

async function call(callable: Callable, values: ReadonlyMap<string, unknown>, signal: AbortSignal): Promise<Run> {
  const { session, operation } = callable;
  const { path, options } = callPath(callable, values);
  const target = resourceUrl({ path, options });
  const answer =
    operation.kind === "function"
      ? await session.client.get(target, { signal })
      : await session.client.send("POST", target, Object.fromEntries(values), { signal });
  return { kind: "done", answer, path };
}

function faultsOf(error: unknown): ReadonlyMap<string, string> {
  if (!(error instanceof ServiceError)) return new Map();
  const { target, message, details } = error;
  const all = details.length === 0 ? [{ target, message }] : details;
  return new Map(all.flatMap((each) => (each.target === null ? [] : [[each.target, each.message] as const])));
}
