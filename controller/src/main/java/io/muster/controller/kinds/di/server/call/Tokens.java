package io.muster.controller.kinds.di.server.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.Rejection;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Has the API server say whose a token is. What it said is kept for a minute; of the token only a
 * hash is. Safe for concurrent use.
 */
public final class Tokens implements Function<String, Optional<String>> {

  private static final String AUDIENCE = "di-server";
  private static final Duration KEPT = Duration.ofSeconds(60);
  private static final int MOST_KEPT = 1_000;
  private static final Pattern ACCOUNT = Pattern.compile("system:serviceaccount:([^:]+):[^:]+");

  private final Function<String, TokenReviewStatus> review;
  private final InstantSource clock;
  private final Map<String, Known> known = new LinkedHashMap<>();

  private record Known(Optional<String> namespace, Instant until) {}

  public Tokens(KubernetesClient client, InstantSource clock) {
    this(token -> reviewed(client, token), clock);
  }

  public Tokens(Function<String, TokenReviewStatus> review, InstantSource clock) {
    this.review = review;
    this.clock = clock;
  }

  private static TokenReviewStatus reviewed(KubernetesClient client, String token) {
    TokenReview asked =
        new TokenReviewBuilder()
            .withNewSpec()
            .withToken(token)
            .withAudiences(AUDIENCE)
            .endSpec()
            .build();
    return client.resource(asked).create().getStatus();
  }

  /** The namespace of the ServiceAccount whose token it is. */
  @Override
  public Optional<String> apply(String token) {
    var hash = hash(token);
    var now = clock.instant();
    synchronized (known) {
      var before = known.get(hash);
      if (before != null && now.isBefore(before.until())) {
        return before.namespace();
      }
    }
    var namespace = namespace(token);
    synchronized (known) {
      if (known.size() >= MOST_KEPT) {
        known.remove(known.keySet().iterator().next());
      }
      known.put(hash, new Known(namespace, now.plus(KEPT)));
    }
    return namespace;
  }

  private Optional<String> namespace(String token) {
    try {
      return Optional.ofNullable(review.apply(token))
          .filter(status -> Boolean.TRUE.equals(status.getAuthenticated()))
          .filter(status ->
              Optional.ofNullable(status.getAudiences()).orElse(List.of()).contains(AUDIENCE))
          .map(status -> ACCOUNT.matcher(status.getUser().getUsername()))
          .filter(Matcher::matches)
          .map(match -> match.group(1));
    } catch (KubernetesClientException e) {
      throw RefusedException.later("the token cannot be checked now: " + Rejection.sentence(e));
    }
  }

  private static String hash(String token) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
