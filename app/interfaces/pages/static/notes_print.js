// The page that goes on paper.

const button = document.getElementById("print");
button.hidden = false;
button.addEventListener("click", () => print());
