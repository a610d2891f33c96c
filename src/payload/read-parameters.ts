import { describeValue } from "../edm/invalid-value.ts";
import type { Operation, OperationParameter } from "../edm/model.ts";
import { isODataError, type ODataError, protocolError } from "../errors/odata-error.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { type BodyObject, compileFieldWriter, compileNameCheck, type UnknownMembers } from "./body-members.ts";
import { type BodyPlace, invalidMember } from "./body-place.ts";
import { guarded } from "./body-readers.ts";
import { ValueReaders } from "./read-value.ts";

/**
 * Makes the reader of the body of an action: a JSON object whose members are named after the parameters.
 * @returns a reader of the arguments by name, in canonical form, with defaults filled in; it throws ODataError
 * `MissingParameter` or `InvalidParameter`, target the parameter, and `InvalidBody` for what is no object of parameters
 * @see specification, Operations, 1 and 2
 */
export function compileParametersReader(
  { name: operation, parameters }: Pick<Operation, "name" | "parameters">,
  unknownMembers: UnknownMembers,
): (body: JsonValue, ieee754Compatible: boolean) => BodyObject {
  const values = new ValueReaders(unknownMembers);
  const names = new Set(parameters.map(({ name }) => name));
  const checkNames = compileNameCheck(operation, names, unknownMembers);
  const steps = parameters.map((parameter) => compileParameter(parameter, values));
  return (body, ieee754Compatible) =>
    guarded(body, ieee754Compatible, (place) => {
      if (!isJsonObject(body)) {
        const problem = `${describeValue(body)} has no parameters: send a JSON object with those of ${operation}.`;
        throw invalidMember(problem, place, "");
      }
      checkNames(body, place);
      const made: BodyObject = {};
      for (const step of steps) step(body, place, made);
      return made;
    });
}

function compileParameter(
  parameter: OperationParameter,
  values: ValueReaders,
): (body: JsonObject, place: BodyPlace, made: BodyObject) => void {
  const { name, defaultValue, nullable, isCollection } = parameter;
  const read = values.of(parameter);
  const put = compileFieldWriter(name);
  return (body, place, made) => {
    const value = body[name];
    if (value !== undefined) {
      put(
        made,
        readParameter(() => read(value, place, name)),
      );
    } else if (defaultValue !== undefined) {
      put(made, structuredClone(defaultValue));
    } else if (nullable && !isCollection) {
      put(made, null);
    } else {
      throw protocolError("MissingParameter", `The body lacks the parameter ${name}, which has no default.`, {
        target: name,
      });
    }
  };
}

/** A value that is none of its parameter's has a code of its own. */
function readParameter(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw isODataError(error) && error.status === 400 ? invalidParameter(error) : error;
  }
}

function invalidParameter({ message, target }: ODataError): ODataError {
  return protocolError("InvalidParameter", message, { target });
}
