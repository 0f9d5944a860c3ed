package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** The dashboards that the chart brings show series that exist, and say what to make of them. */
final class DashboardsTest {

  private static final int COLUMNS = 24;

  @Test
  void queriesUseSeriesLabelsAndValuesThatExist() {
    var rows = MetricRow.all();
    for (var dashboard : Dashboard.all()) {
      for (var panel : dashboard.panels()) {
        assertThat(panel.queries()).as(panel.title()).isNotEmpty();
        panel.queries().forEach(query -> Selector.existIn(query, rows));
      }
    }
  }

  /** So that nobody has to read code at night. */
  @Test
  void everyPanelSaysWhatItShows() {
    assertThat(Dashboard.all())
        .extracting(Dashboard::name)
        .containsExactly("control", "fleet", "waiting");
    for (var dashboard : Dashboard.all()) {
      assertThat(dashboard.panels()).extracting(Dashboard.Panel::title).doesNotHaveDuplicates();
      assertThat(dashboard.panels())
          .allMatch(panel -> !panel.title().isBlank() && panel.description().endsWith("."));
    }
  }

  @Test
  void panelsLieBesideOneAnotherAndAskTheChosenPrometheus() {
    for (var dashboard : Dashboard.all()) {
      assertThat(dashboard.json().path("uid").asText()).isEqualTo("muster-" + dashboard.name());
      assertThat(dashboard.json().path("templating").path("list").path(0).path("name").asText())
          .isEqualTo("datasource");
      var taken = new boolean[COLUMNS][1000];
      for (var panel : dashboard.json().path("panels")) {
        assertThat(panel.path("datasource").path("uid").asText()).isEqualTo("${datasource}");
        assertThat(panel.path("targets").findValuesAsText("refId")).doesNotHaveDuplicates();
        take(panel.path("gridPos"), taken);
      }
    }
  }

  private static void take(JsonNode place, boolean[][] taken) {
    for (int x = place.path("x").asInt();
        x < place.path("x").asInt() + place.path("w").asInt();
        x++) {
      for (int y = place.path("y").asInt();
          y < place.path("y").asInt() + place.path("h").asInt();
          y++) {
        assertThat(taken[x][y]).as(place.toString()).isFalse();
        taken[x][y] = true;
      }
    }
  }
}
