import { useLayoutEffect, useState } from "preact/hooks";
import type { Cell } from "../client/cell.ts";

/** Returns the value of a cell. The component renders again whenever it changes. */
export function useCell<Value>(cell: Cell<Value>): Value {
  const [, setValue] = useState(cell.value);
  useLayoutEffect(() => {
    const read = (): void => setValue(() => cell.value);
    // It may have changed since the component was rendered.
    read();
    return cell.listen(read);
  }, [cell]);
  return cell.value;
}
