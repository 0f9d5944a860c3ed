package io.muster.extender.kube.shadow;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.core.shadow.ShadowLedger;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A ledger as the data of a ConfigMap: a key for each day, such as {@code 2026-11-25}, and below it
 * a JSON object with an object of counts for each namespace. What somebody has written there that
 * is none of this counts as nothing. Stateless.
 */
final class LedgerJson {

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private LedgerJson() {}

  static Map<String, String> write(ShadowLedger ledger) {
    var data = new TreeMap<String, String>();
    ledger.days().forEach((day, rows) -> data.put(day.toString(), text(rows)));
    return data;
  }

  private static String text(SortedMap<String, ShadowCounts> rows) {
    var json = JSON.createObjectNode();
    rows.forEach((namespace, counts) ->
        json.putObject(namespace)
            .put("gangs", counts.gangs())
            .put("whole", counts.whole())
            .put("inPart", counts.inPart())
            .put("podsEarly", counts.podsEarly())
            .put("deviceSeconds", counts.deviceSeconds())
            .put("refused", counts.refused()));
    return json.toString();
  }

  static ShadowLedger read(Map<String, String> data) {
    var ledger = ShadowLedger.EMPTY;
    for (var entry : data.entrySet()) {
      try {
        ledger = ledger.plus(LocalDate.parse(entry.getKey()), rows(entry.getValue()));
      } catch (DateTimeException | JsonProcessingException _) {
        // Somebody else's key.
      }
    }
    return ledger;
  }

  private static Map<String, ShadowCounts> rows(String text) throws JsonProcessingException {
    var rows = new TreeMap<String, ShadowCounts>();
    JSON.readTree(text)
        .properties()
        .forEach(row ->
            rows.put(
                row.getKey(),
                new ShadowCounts(
                    count(row.getValue(), "gangs"),
                    count(row.getValue(), "whole"),
                    count(row.getValue(), "inPart"),
                    count(row.getValue(), "podsEarly"),
                    count(row.getValue(), "deviceSeconds"),
                    count(row.getValue(), "refused"))));
    return rows;
  }

  private static long count(JsonNode row, String name) {
    return Math.max(0, row.path(name).asLong());
  }
}
