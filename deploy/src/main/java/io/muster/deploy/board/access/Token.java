package io.muster.deploy.board.access;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Instant;
import java.util.Base64;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A bearer token. What a JWT says of itself is read without proof, and may only shorten what the
 * API server grants. Never printed. Immutable.
 */
public final class Token {

  static final int LONGEST = 16 * 1024;

  private static final Pattern CHARACTERS = Pattern.compile("[!-~]+");
  private static final int PARTS = 3;

  /** Of the year 9999. */
  private static final double LAST_SECOND = 253_402_300_799.0;

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final String value;
  private final Optional<Instant> expiry;
  private final Set<String> audiences;

  private Token(String value) {
    this.value = value;
    var claims = claims(value);
    this.expiry = expiry(claims.path("exp"));
    this.audiences = audiences(claims.path("aud"));
  }

  /** Empty if no API server would take it for a token. */
  static Optional<Token> read(String brought) {
    if (brought.length() > LONGEST) {
      return Optional.empty();
    }
    return Optional.of(brought.strip())
        .filter(value -> CHARACTERS.matcher(value).matches())
        .map(Token::new);
  }

  String value() {
    return value;
  }

  /** By itself; empty where it does not say. */
  Optional<Instant> expiry() {
    return expiry;
  }

  /** Whom it says it is for. */
  Set<String> audiences() {
    return audiences;
  }

  private static JsonNode claims(String value) {
    var parts = value.split("\\.", -1);
    if (parts.length != PARTS) {
      return MissingNode.getInstance();
    }
    try {
      return Optional.ofNullable(JSON.readTree(Base64.getUrlDecoder().decode(parts[1])))
          .orElse(MissingNode.getInstance());
    } catch (JacksonException | IllegalArgumentException _) {
      return MissingNode.getInstance();
    } catch (IOException e) {
      throw new IllegalStateException("bytes in memory cannot be read", e);
    }
  }

  private static Optional<Instant> expiry(JsonNode claim) {
    double second = claim.isNumber() ? claim.doubleValue() : Double.NaN;
    return Double.isNaN(second)
        ? Optional.empty()
        : Optional.of(Instant.ofEpochSecond((long) Math.clamp(second, 0, LAST_SECOND)));
  }

  private static Set<String> audiences(JsonNode claim) {
    var found = new HashSet<String>();
    if (claim.isTextual()) {
      found.add(claim.textValue());
    }
    claim.forEach(each -> found.add(each.asText()));
    return Set.copyOf(found);
  }

  @Override
  public String toString() {
    return "a token";
  }
}
