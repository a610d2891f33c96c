import { isODataError, type ODataError, protocolError } from "../base/errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json/write-json.ts";
import { readsLater } from "../base/later.ts";
import type { Operation, OperationParameter } from "../edm/model.ts";
import { describeValue } from "../edm/value-codec.ts";
import type { CallArgument, CallArguments } from "../language/query/call-argument.ts";
import {
  type BodyObject,
  compileFieldWriter,
  compileNameCheck,
  type BodyPlace,
  bodyRoot,
  goOn,
  invalidMember,
} from "./body-members.ts";
import { type BodyReading, guarded } from "./body-readers.ts";
import { ValueReaders } from "./read-value.ts";

/**
 * Makes the reader of the body of an action: a JSON object with the parameters as members.
 * @returns a reader of the arguments by name, in canonical form, with defaults; it throws ODataError `MissingParameter` or
 * `InvalidParameter`, target the parameter, and `InvalidBody` for any other body
 * @see docs/reference/operations.md
 */
export function compileParametersReader(
  { name: operation, parameters }: Pick<Operation, "name" | "parameters">,
  { unknownMembers, findsEveryFault, takesScriptDates }: BodyReading,
): (body: JsonValue, ieee754Compatible: boolean) => BodyObject {
  const values = new ValueReaders(unknownMembers, takesScriptDates);
  const names = new Set(parameters.map(({ name }) => name));
  const checkNames = compileNameCheck(operation, names, unknownMembers, "parameter");
  const steps = parameters.map((parameter) => compileMember(parameter, values));
  return (body, ieee754Compatible) =>
    guarded(
      body,
      ieee754Compatible,
      (place) => {
        if (!isJsonObject(body)) {
          const problem = `${describeValue(body)} has no parameters: send a JSON object with those of ${operation}.`;
          throw invalidMember(problem, place, "");
        }
        checkNames(body, place);
        const made: BodyObject = {};
        for (const step of steps) {
          try {
            step(body, place, made);
          } catch (error) {
            goOn(error, place);
          }
        }
        return made;
      },
      { findsEveryFault },
    );
}

/**
 * Makes the reader of the arguments of a function call, which checks JSON against the model and adds defaults.
 * @returns a reader of the arguments by name, in canonical form; it throws ODataError `MissingParameter` or
 * `InvalidParameter`, target the parameter
 * @see docs/reference/operations.md
 */
export function compileArgumentsReader({
  parameters,
}: Pick<Operation, "parameters">): (given: CallArguments) => BodyObject {
  const values = new ValueReaders("reject");
  const steps = parameters.map((parameter) => compileArgument(parameter, values));
  return (given) => {
    const made: BodyObject = {};
    for (const step of steps) step(given, made);
    return made;
  };
}

function compileMember(
  parameter: OperationParameter,
  values: ValueReaders,
): (body: JsonObject, place: BodyPlace, made: BodyObject) => void {
  const { name } = parameter;
  const read = values.of(parameter);
  const put = compileFieldWriter(name);
  const absent = compileAbsent(parameter, "body");
  return (body, place, made) => {
    const value = body[name];
    put(made, value === undefined ? absent() : readMember(place, (here) => read(value, here, name)));
  };
}

function compileArgument(
  parameter: OperationParameter,
  values: ValueReaders,
): (given: CallArguments, made: BodyObject) => void {
  const { name } = parameter;
  const read = values.of(parameter);
  const put = compileFieldWriter(name);
  const absent = compileAbsent(parameter, "call");
  const valueOf = (argument: CallArgument): unknown => {
    if (argument.kind === "value") return argument.value;
    return readParameter(() => read(argument.json, bodyRoot(false), name));
  };
  return (given, made) => {
    const argument = given.get(name);
    put(made, argument === undefined ? absent() : valueOf(argument));
  };
}

/** Makes the function that returns the value of a missing parameter: its default, or null. */
function compileAbsent(
  { name, defaultValue, nullable, isCollection }: OperationParameter,
  source: "body" | "call",
): () => unknown {
  // Each call gets a copy, because a handler may change it.
  if (defaultValue !== undefined) return () => structuredClone(defaultValue);
  if (nullable && !isCollection) return () => null;
  return () => {
    throw protocolError("MissingParameter", `The ${source} lacks the parameter ${name}, which has no default.`, {
      target: name,
    });
  };
}

const withFullnessOf = readsLater("isFull");

/** Reads a parameter. Where all faults are collected, those within its value get the code of parameters, too. */
function readMember(place: BodyPlace, read: (place: BodyPlace) => unknown): unknown {
  const { faults } = place;
  if (faults === null) return readParameter(() => read(place));
  const add: typeof faults.add = (fault, isFacet) => {
    faults.add(invalidParameter(fault), isFacet);
  };
  const recoded: BodyPlace["faults"] = withFullnessOf({ add }, faults);
  return readParameter(() => read({ ...place, faults: recoded }));
}

/** Invalid values of parameters have a separate error code. */
function readParameter(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw isODataError(error) && error.status === 400 ? invalidParameter(error) : error;
  }
}

function invalidParameter({ message, target, fault }: ODataError): ODataError {
  return protocolError("InvalidParameter", message, { target, fault });
}
