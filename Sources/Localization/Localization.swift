import CAssets
package func englishBytes() -> Int { var n = 0; _ = cassets_english(&n); return n }
