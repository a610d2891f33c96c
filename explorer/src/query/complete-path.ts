import type { StructuredType } from "../model/model.ts";
import { type EndCompletion, memberItems } from "./completion-item.ts";
import { type Member, typeAt } from "./resolve-type.ts";

/**
 * Suggests the next name of a path of members, such as that of `$select`.
 * @param picks which members may be named
 */
export function completePath(text: string, type: StructuredType, picks: (member: Member) => boolean): EndCompletion {
  const path = text.trimStart();
  const slash = path.lastIndexOf("/");
  const target = slash < 0 ? type : typeAt(type, path.slice(0, slash));
  return { word: path.slice(slash + 1), items: target === null ? [] : memberItems(target, picks) };
}
