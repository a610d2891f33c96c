import { toWireName } from "../definition/names.ts";

/**
 * Returns the key of a navigation in declarations. A navigation has no `.json()`, so its key must become its name by the
 * naming policy `PascalCase`: `GPSDevices` stays, because `gpsDevices` would become `GpsDevices`.
 */
export function navigationField({ name, field }: { readonly name: string; readonly field: string }): string {
  return toWireName(field, "PascalCase") === name ? field : name;
}
