/** Whether a picture could not be loaded; it is tried again when the server has been away and is back. */
import { useState } from "preact/hooks";
import { comebacks } from "../state/connection";

export function useBroken(id: string): [broken: boolean, fail: () => void] {
  const [failed, setFailed] = useState("");
  const attempt = `${id} ${comebacks.value}`;
  return [failed === attempt, () => setFailed(attempt)];
}
