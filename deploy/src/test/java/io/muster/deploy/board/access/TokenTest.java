package io.muster.deploy.board.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TokenTest {

  /** A JWT that says that of itself. */
  static String jwt(String claims) {
    var encoder = Base64.getUrlEncoder().withoutPadding();
    return "e30." + encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)) + ".c2ln";
  }

  private static Token token(String value) {
    return Token.read(value).orElseThrow();
  }

  @Test
  void theEndAndTheAudiencesOfAJwtAreRead() {
    var token = token(jwt("{\"exp\":1800000000,\"aud\":[\"muster-board\",\"other\"]}"));
    assertThat(token.expiry()).contains(Instant.ofEpochSecond(1_800_000_000));
    assertThat(token.audiences()).containsExactlyInAnyOrder("muster-board", "other");
    assertThat(token(jwt("{\"aud\":\"one\"}")).audiences()).containsExactly("one");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"exp\":\"1800000000\"}",
        "{\"exp\":null}",
        "{\"exp\":[1]}",
        "[]",
        "1",
        "",
        "null",
        "{\"exp\":",
        "{\"exp\":NaN}"
      })
  void whatSaysNoEndHasNone(String claims) {
    assertThat(token(jwt(claims)).expiry()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1800000000.9,1800000000",
    "1.8e9,1800000000",
    "-5,0",
    "-1e999,0",
    "1e999999999,253402300799",
    "99999999999999999999999999999999999999,253402300799"
  })
  void anEndIsReadWhateverTheNumberLooksLike(String number, long second) {
    assertThat(token(jwt("{\"exp\":" + number + "}")).expiry())
        .contains(Instant.ofEpochSecond(second));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a\nb", "a\u0000", "t\u00f6ken", "a\u2028b", "\u007f"})
  void whatIsNoTokenIsRefused(String brought) {
    assertThat(Token.read(brought)).isEmpty();
  }

  @Test
  void aTokenHasSixteenKilobytesAtMost() {
    assertThat(Token.read("a".repeat(Token.LONGEST))).isPresent();
    assertThat(Token.read("a".repeat(Token.LONGEST + 1))).isEmpty();
  }

  @Test
  void spacesAroundAPastedTokenAreLeftOut() {
    assertThat(token(" secret\r\n").value()).isEqualTo("secret");
  }

  @Test
  void aTokenIsNotPrinted() {
    assertThat(token("secret")).hasToString("a token");
  }

  @Test
  void nestedAndBrokenClaimsAreNoTrouble() {
    assertThatCode(
            () -> {
              token(jwt("[".repeat(11_000)));
              token(jwt("{\"aud\":" + "[".repeat(900) + "]".repeat(900) + "}"));
              token("...");
              token("a.=.b");
              var random = new Random(1);
              for (int times = 0; times < 5000; times++) {
                var bytes = new byte[random.nextInt(60)];
                random.nextBytes(bytes);
                token("a." + Base64.getUrlEncoder().encodeToString(bytes) + ".b");
              }
            })
        .doesNotThrowAnyException();
  }
}
