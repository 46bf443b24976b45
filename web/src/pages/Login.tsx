/** Where a key is asked for. */
import { useSignal } from "@preact/signals";
import { ApiError } from "../api/client";
import { Mark } from "../shell/Icon";
import { signIn } from "../state/session";
import "../styles/pages.css";

export function Login() {
  const key = useSignal("");
  const wrong = useSignal("");
  const waiting = useSignal(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    waiting.value = true;
    wrong.value = "";
    try {
      await signIn(key.value.trim());
    } catch (error) {
      wrong.value = error instanceof ApiError ? `${error.message} ${error.remedy}` : "Signing in did not work.";
    } finally {
      waiting.value = false;
    }
  };
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <Mark size={44} />
        <h1>visavis</h1>
        <label>
          Your key
          <input
            type="password"
            autocomplete="current-password"
            required
            value={key.value}
            aria-invalid={wrong.value !== ""}
            aria-describedby="login-help"
            onInput={(event) => {
              key.value = event.currentTarget.value;
            }}
          />
        </label>
        {wrong.value && (
          <p class="objection" role="alert">
            {wrong.value}
          </p>
        )}
        <button type="submit" class="button accent" disabled={waiting.value || !key.value.trim()}>
          Come in
        </button>
        <p id="login-help" class="quiet small">
          Whoever runs this server makes keys with <code>visavis user add NAME</code>.
        </p>
      </form>
    </main>
  );
}
