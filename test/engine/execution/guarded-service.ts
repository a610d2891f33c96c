import type { EntitySet } from "odatakit";
import { bindAnnotations } from "../../../src/definition/annotations/bind-annotations.ts";
import type { Context, Principal } from "../../../src/definition/context.ts";
import type { EntitySetDefinition, ServiceDefinition } from "../../../src/definition/model/service-definition.ts";
import { buildServiceDefinition } from "../../../src/definition/startup/build-service-definition.ts";
import { ROW_RULES } from "../../../src/engine/reads/gate.ts";
import { RowAccess } from "../../../src/engine/rules/row-access.ts";
import { CallContext } from "../../../src/service/sets/call-context.ts";
import { CommitUnit } from "../../../src/service/sets/commit-unit.ts";

const silent = (): void => undefined;

/** Makes a service as declared. */
export function declare(...entitySets: readonly EntitySet[]): ServiceDefinition {
  return buildServiceDefinition(
    { entitySets, prefix: "", defaults: { allowUpsert: true, allowDeepInsert: true } },
    { error: silent, warn: silent, info: silent },
    ROW_RULES,
    bindAnnotations,
  );
}

function notOffered(): never {
  throw new Error("This context opens no sets.");
}

/** Makes the context of a request to a service. */
export function requestOf(service: ServiceDefinition, user: Principal | null): Context {
  const facts = {
    user,
    signal: new AbortController().signal,
    request: { id: "1", method: "GET", url: "http://service.example/", headers: new Headers(), host: undefined },
    host: undefined,
  };
  const door = { sets: notOffered, inTransaction: notOffered, afterCommit: notOffered, runAtomically: notOffered };
  const place = { facts, depth: 0, part: null, unit: new CommitUnit(), access: new RowAccess() };
  return new CallContext(place, { service, door });
}

/** Returns a set of a service. */
export function setOf({ entitySets }: ServiceDefinition, name: string): EntitySetDefinition {
  const set = entitySets.get(name);
  if (set === undefined) throw new Error(`There is no set ${name}.`);
  return set;
}
