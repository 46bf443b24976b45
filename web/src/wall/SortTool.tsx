/** The order of the pictures: best match, price, date. */
import { hung, hangAnew, sort, source, wantedSort } from "../state/wall";
import { busy, collection, command, revise, wishes } from "../state/talk";
import { capitalised, orderInWords } from "../text/words";

const BY_PRICE = ["price asc", "price desc"];
const BY_DATE = ["taken desc", "taken asc"];

function labelled(order: string): string {
  const [attribute = "", way = ""] = order.split(" ");
  return capitalised(orderInWords(attribute, way === "asc"));
}

export function SortTool() {
  const talking = source.value.kind === "turn";
  if (!talking && source.value.kind !== "browse") return null;
  const orders = [
    ...(hung.value.some((one) => one.price != null) ? BY_PRICE : []),
    ...(hung.value.some((one) => one.taken) ? BY_DATE : []),
  ];
  const wish = wishes.value.find((one) => one.kind === "sort" && one.active);
  const asked = wish && `${wish.attribute} ${wish.text === "descending" ? "desc" : "asc"}`;
  const order = talking ? (asked ?? "none") : sort.value;
  // Where the pictures tell no more than their year, that is the time to sort by.
  const now = orders.find((one) => labelled(one) === labelled(order)) ?? order;
  if (orders.length === 0 && now === "none") return null;
  if (now !== "none" && !orders.includes(now)) orders.push(now);
  const choose = (value: string): void => {
    if (!talking) {
      wantedSort.value = value;
      hangAnew(collection.value ?? "");
    } else if (value !== "none") void command([`sort ${value}`], "");
    else if (wish) void revise([`remove ${wish.id}`]);
  };
  return (
    <label class="sort-tool">
      <span class="visually-hidden">Order</span>
      <select value={now} disabled={busy.value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="none">{talking ? "Best match" : "Mixed"}</option>
        {orders.map((one) => (
          <option key={one} value={one}>
            {labelled(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
