import type { ServiceDefinition } from "./service-definition.ts";

/** The name of the connection files if the application chooses none. */
export const USUAL_NAME = "service";

/** Returns the name of a service for people. */
export function titleOf({ name, model, connectionFiles }: ServiceDefinition): string {
  const chosen = connectionFiles === USUAL_NAME ? null : connectionFiles;
  return name ?? chosen ?? model.namespace;
}

/** Returns the paths of the connection files below the prefix. Names of entity sets and operations contain no dot. */
export function connectionPaths(name: string): { readonly excel: string; readonly powerBi: string } {
  return { excel: `/${name}.odc`, powerBi: `/${name}.pbids` };
}
