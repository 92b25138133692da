// The page's own style sheet. Series colours are Okabe and Ito's, darkened or lightened until they stand out by 3:1 from the
// card; shape and dash carry the same distinction.

const lightInk = `
--page:#f6f6f4;--card:#fff;--surface:#fff;--ink:#1b1e22;--ink-muted:#5b626b;--line:#e3e3df;--grid:#ececea;--rule:#c3c6ca;
--shade:#f1f2f4;--link:#0b5cad;--good:#0d7a4f;--bad:#b3261e;--mixed:#8f5b00;
--good-wash:#e9f5ef;--bad-wash:#fcecea;--mixed-wash:#fbf3e2;
--series-1:#0072b2;--series-2:#d55e00;--series-3:#00875f;--series-4:#b0568a;--series-5:#a87400;--series-6:#3d8fc4;
--heat-1:#eef4fa;--heat-2:#d3e4f3;--heat-3:#b0cfe8;--heat-4:#85b4da;--heat-5:#4f90c4;--heat-6:#2468a3;--heat-7:#12416f;
--heat-ink-low:#1b1e22;--heat-ink-high:#fff;color-scheme:light;`;

const darkInk = `
--page:#121417;--card:#1a1d21;--surface:#1a1d21;--ink:#e7e9ec;--ink-muted:#9ca4ad;--line:#2c3137;--grid:#262b30;--rule:#4a5159;
--shade:#22272c;--link:#79b8f3;--good:#4cc38a;--bad:#ff8a80;--mixed:#f0b840;
--good-wash:#152a22;--bad-wash:#331c1b;--mixed-wash:#2e2513;
--series-1:#56b4e9;--series-2:#ff8c42;--series-3:#2fc596;--series-4:#e59cc4;--series-5:#f0c04a;--series-6:#9fc9ff;
--heat-1:#1f2a36;--heat-2:#223f5c;--heat-3:#265581;--heat-4:#2f70a8;--heat-5:#5b9bd0;--heat-6:#92c2e8;--heat-7:#d0e6f8;
--heat-ink-low:#e7e9ec;--heat-ink-high:#10151a;color-scheme:dark;`;

const layout = `
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;font-variant-numeric:tabular-nums;overflow-wrap:break-word}
header,main,footer{max-width:1160px;margin:0 auto;padding:0 24px}
header{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline;padding-top:28px;padding-bottom:20px}
header p{margin:0}
.brand{font-weight:700;letter-spacing:-.01em}
.title{color:var(--ink-muted)}
.date{margin-left:auto;color:var(--ink-muted);font-size:13px}
h1,h2,h3,h4,p{text-wrap:pretty}
h1{font-size:30px;line-height:1.2;letter-spacing:-.02em;font-weight:650;margin:10px 0 10px;max-width:30em;text-wrap:balance}
h2{font-size:20px;line-height:1.3;letter-spacing:-.01em;font-weight:650;margin:0 0 14px}
h3{font-size:16px;line-height:1.35;font-weight:650;margin:0}
h4{font-size:12.5px;font-weight:600;margin:14px 0 2px}
a{color:var(--link)}
code,pre{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
section{margin:0 0 48px}
.note,.where,.reading{color:var(--ink-muted)}
.note{font-size:12.5px;line-height:1.5;margin:8px 0 0}
.where{font-size:12.5px}
.sr,.skip:not(:focus){position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip:focus{position:absolute;left:8px;top:8px;background:var(--card);padding:8px 12px;border-radius:6px}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:4px}
footer{color:var(--ink-muted);font-size:13px;padding-bottom:48px}
`;

const verdict = `
.verdict{background:var(--wash);border:1px solid var(--line);border-radius:14px;padding:26px 30px 26px;margin-bottom:16px}
.good{--tone:var(--good);--wash:var(--good-wash)}
.bad{--tone:var(--bad);--wash:var(--bad-wash)}
.mixed{--tone:var(--mixed);--wash:var(--mixed-wash)}
.plain{--tone:var(--ink-muted);--wash:var(--shade)}
.status{margin:0;color:var(--tone);font-weight:650;display:flex;align-items:center;gap:8px}
.lead{margin:0;font-size:16px;color:var(--ink-muted);max-width:62em}
.glyph{width:18px;height:18px;flex:none;fill:none;stroke:var(--wash);stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}
.glyph circle{fill:var(--tone);stroke:none}
.badges{display:grid;grid-template-columns:repeat(auto-fit,minmax(230px,1fr));gap:12px;margin-bottom:22px}
.badge{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px 15px}
.badge p{margin:0}
.label{font-size:12.5px;color:var(--ink-muted);display:flex;align-items:center;gap:6px}
.badge .glyph{width:14px;height:14px}
.badge .value{font-weight:650;margin:3px 0 1px;line-height:1.35}
.badge.bad .value{color:var(--bad)}
.badge .detail{font-size:12.5px;line-height:1.45;color:var(--ink-muted)}
.chip{display:inline-flex;align-items:center;gap:5px;background:var(--wash);color:var(--tone);border-radius:99px;padding:1px 9px 1px 9px;font-size:12px;font-weight:600;white-space:nowrap}
.chip .glyph{width:12px;height:12px;margin-left:-3px;stroke:var(--wash)}
nav{margin:0 0 40px}
nav ul{display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;margin:0;padding:0;font-size:13.5px}
nav a{text-decoration:none}
nav a:hover{text-decoration:underline}
`;

const charts = `
.charts{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:20px}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;margin:0;padding:22px 24px 18px;min-width:0;display:flex;flex-direction:column}
.card svg{display:block;width:100%;height:auto;overflow:visible;font-family:inherit}
.reading{margin:5px 0 0;font-size:13.5px;line-height:1.5}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:14px 0 12px;padding:0;font-size:12.5px;color:var(--ink)}
.legend li{display:flex;align-items:center;gap:6px}
.card .swatch{width:20px;height:12px;flex:none;stroke:var(--mark);fill:none}
.card .swatch.ramp{width:98px;border-radius:3px;stroke:none}
.swatch .fill{fill:var(--mark);stroke:none}
.compact{display:none}
.card svg[role=img]+svg[role=img]{margin-top:12px}
.card details{margin-top:auto;padding-top:12px;font-size:13px}
.card figcaption{margin:0}
summary{cursor:pointer;color:var(--link);width:fit-content}
.greyed>div,.greyed>.legend{filter:grayscale(1);opacity:.35}
.stamp{color:var(--bad);background:var(--bad-wash);border-radius:6px;padding:6px 10px;margin:10px 0 0;font-size:13px;font-weight:600}
.missing{margin-top:24px;color:var(--ink-muted);font-size:13.5px}
.missing h3{font-size:14px;color:var(--ink)}
.missing ul{margin:6px 0 0;padding-left:18px}
.missing strong{font-weight:600;color:var(--ink)}
`;

const tables = `
.scroll{overflow-x:auto;margin-top:10px;border:1px solid var(--line);border-radius:8px;position:relative;background:linear-gradient(to right,var(--card) 40%,transparent) left/48px 100% no-repeat local,linear-gradient(to left,var(--card) 40%,transparent) right/48px 100% no-repeat local,linear-gradient(to right,var(--rule),transparent) left/12px 100% no-repeat scroll,linear-gradient(to left,var(--rule),transparent) right/12px 100% no-repeat scroll,var(--card)}
th:first-child,td:first-child{padding-left:14px}
th:last-child,td:last-child{padding-right:14px}
table{border-collapse:collapse;width:100%;font-size:13px;line-height:1.4}
th,td{padding:7px 9px;text-align:left;vertical-align:baseline;white-space:nowrap}
thead th{font-weight:600;white-space:normal;vertical-align:bottom;line-height:1.3;color:var(--ink-muted);font-size:12px;border-bottom:1px solid var(--line)}
tbody th{font-weight:500}
tbody tr+tr>*{border-top:1px solid var(--grid)}
.n{text-align:right}
.key{display:inline-block;width:9px;height:9px;border-radius:50%;background:var(--mark);margin-right:8px}
.cells{margin-top:18px}
.cells summary{color:var(--ink)}
.cells h3{display:inline}
.account{list-style:none;margin:0;padding:0;display:grid;gap:14px}
.account>li{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 18px}
.account p{margin:0}
.examples,.account details ul{margin:6px 0 0;padding-left:18px;font-size:13.5px}
.account details{margin-top:6px;font-size:13.5px}
.runcard .label{margin:0}
.runcard{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:20px 24px;margin-bottom:16px}
pre{background:var(--shade);border-radius:8px;padding:12px 14px;margin:6px 0 16px;white-space:pre-wrap;overflow-wrap:anywhere}
dl{margin:0}
dl>div{display:grid;grid-template-columns:170px 1fr;gap:2px 16px;padding:7px 0}
dl>div+div{border-top:1px solid var(--grid)}
dt{color:var(--ink-muted);font-size:13.5px}
dd{margin:0;font-size:14px;overflow-wrap:anywhere}
dd ul{margin:0;padding-left:18px}
`;

const small = `
@media (max-width:900px){.charts{grid-template-columns:minmax(0,1fr)}}
@media (max-width:560px){
header,main,footer{padding-left:14px;padding-right:14px}
header{padding-top:18px;padding-bottom:14px}
.date{margin-left:0;width:100%}
h1{font-size:23px}
.lead{font-size:15px}
.verdict{padding:18px 18px 18px}
.badges{grid-template-columns:minmax(0,1fr)}
.card{padding:18px 14px 14px}
.runcard .label{margin:0}
.runcard{padding:16px 14px}
tbody th{white-space:normal;min-width:128px}
.wide{display:none}
.compact{display:block}
dl>div{grid-template-columns:minmax(0,1fr)}
section{margin-bottom:36px}
}
`;

const paper = `
@page{margin:14mm}
@media print{
:root{${lightInk}--page:#fff}
body{font-size:11px}
header,main,footer{max-width:none;padding-left:0;padding-right:0}
nav,.skip{display:none}
.card,.badge,.account>li,.runcard,.verdict,tr{break-inside:avoid}
h2,h3{break-after:avoid}
.charts{grid-template-columns:repeat(2,minmax(0,1fr));gap:12px}
.wide{display:none}.compact{display:block}
.card{padding:12px 14px}
.card details{display:none}
.cells::details-content{content-visibility:visible;block-size:auto}
.account details{display:none}
.badges{grid-template-columns:repeat(4,1fr)}
table{font-size:8.5px}thead th{font-size:8.5px}th,td{padding:2.5px 4px;white-space:normal}.chip{font-size:8.5px;padding:0;background:none}.key{display:none}
h1{font-size:20px}h2{font-size:14px}h3{font-size:12px}.reading,.note,.legend,.where,.lead,.badge .detail,dt,dd,.examples{font-size:10px}.verdict{padding:14px 16px}section{margin-bottom:20px}.scroll{border:0;background:none}tbody th{white-space:nowrap}
.scroll{overflow:visible}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
}
`;

export const style = [
  `:root{${lightInk}}`,
  `@media (prefers-color-scheme:dark){:root{${darkInk}}}`,
  layout,
  verdict,
  charts,
  tables,
  small,
  paper,
]
  .join('')
  .replaceAll('\n', '');
