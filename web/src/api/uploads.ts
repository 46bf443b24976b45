/** Sending pictures to a collection. */
import { send } from "./client";

/** Sent a few at a time, so that one broken connection costs little and the progress can be seen. */
const AT_ONCE = 8;

export interface Uploaded {
  added: number;
  /** How many of them were there before. */
  known: number;
  refused: string[];
}

export async function upload(
  collection: string,
  files: readonly File[],
  onProgress: (sent: number) => void,
): Promise<Uploaded> {
  const done: Uploaded = { added: 0, known: 0, refused: [] };
  for (let i = 0; i < files.length; i += AT_ONCE) {
    onProgress(i);
    const body = new FormData();
    for (const file of files.slice(i, i + AT_ONCE)) body.append("files", file);
    const path = `/collections/${encodeURIComponent(collection)}/upload`;
    const answer = await send<{ added: { known: boolean }[]; refused: { name: string }[] }>("POST", path, body);
    done.added += answer.added.length;
    done.known += answer.added.filter((one) => one.known).length;
    done.refused.push(...answer.refused.map((one) => one.name));
  }
  return done;
}
