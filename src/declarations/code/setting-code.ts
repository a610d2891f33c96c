import { type Code, object, type ObjectCode, objectKeyLiteral, stringLiteral } from "./layout.ts";

/** A value of an option, as JSON. */
export type SettingValue =
  | boolean
  | null
  | number
  | string
  | readonly SettingValue[]
  | { readonly [key: string]: SettingValue };

/** Options of `odataService` or `sqlEntitySet` by name. */
export interface Settings {
  readonly [option: string]: SettingValue;
}

/** Writes options as the entries of an object. */
export function settingEntries(settings: Settings): ObjectCode["entries"] {
  return Object.entries(settings).map(([name, value]) => [objectKeyLiteral(name), settingCode(value)]);
}

function settingCode(value: SettingValue): Code {
  if (typeof value === "string") return stringLiteral(value);
  if (typeof value !== "object" || value === null) return String(value);
  if (isList(value)) return { kind: "array", items: value.map(settingCode) };
  return object(Object.entries(value).map(([key, member]) => [objectKeyLiteral(key), settingCode(member)]));
}

function isList(value: SettingValue & object): value is readonly SettingValue[] {
  return Array.isArray(value);
}
