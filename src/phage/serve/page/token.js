// The server's token, where it asks for one; kept for this tab only.
import { $, whenTokenIsWanted } from "./dom.js";

export function setUpToken(again) {
  whenTokenIsWanted(() => { sessionStorage.removeItem("token"); $("token-form").hidden = false; });
  $("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem("token", $("token").value);
    $("token").value = "";
    $("token-form").hidden = true;
    again();
  });
}
