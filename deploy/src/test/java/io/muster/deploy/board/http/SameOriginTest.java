package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SameOriginTest {

  private static final String JSON = "application/json";

  private static boolean isServed(String... headers) {
    Map<String, String> all = new HashMap<>(Map.of("Host", "board.example:8443"));
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i], headers[i + 1]);
    }
    return SameOrigin.refusal(all::get, "board.example:8443").isEmpty();
  }

  @Test
  void onlyJsonIsServed() {
    assertThat(isServed("Content-Type", JSON)).isTrue();
    assertThat(isServed("Content-Type", "Application/JSON; charset=utf-8")).isTrue();
    assertThat(isServed()).isFalse();
    for (var form :
        new String[] {
          "text/plain",
          "text/plain; application/json",
          "application/x-www-form-urlencoded",
          "multipart/form-data; boundary=application/json",
          "application/jsonp"
        }) {
      assertThat(isServed("Content-Type", form)).as(form).isFalse();
    }
  }

  @Test
  void onlyThePageItselfIsServed() {
    assertThat(isServed("Content-Type", JSON, "Sec-Fetch-Site", "same-origin")).isTrue();
    for (var site : new String[] {"same-site", "cross-site", "none", ""}) {
      assertThat(isServed("Content-Type", JSON, "Sec-Fetch-Site", site)).as(site).isFalse();
    }
  }

  @Test
  void aBrowserThatDoesNotSaySoIsJudgedByTheOrigin() {
    assertThat(isServed("Content-Type", JSON, "Origin", "https://board.example:8443")).isTrue();
    assertThat(isServed("Content-Type", JSON, "Origin", "https://board.example")).isFalse();
    assertThat(isServed("Content-Type", JSON, "Origin", "https://evil.example")).isFalse();
    assertThat(isServed("Content-Type", JSON, "Origin", "null")).isFalse();
  }
}
