package io.muster.controller.kinds.di.server.call;

import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kube.Digest;
import io.muster.controller.kube.Rejection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Has the API server say whose a token is. What it said is kept for a minute; of the token only a
 * hash is. Tokens that were never good are checked a few times a second in all: anybody may make
 * them up, and a flood of them neither costs the API server more than that nor holds up those whose
 * tokens were good before. Safe for concurrent use.
 */
public final class Tokens implements Function<String, Optional<String>> {

  private static final String AUDIENCE = "di-server";
  private static final Duration KEPT = Duration.ofSeconds(60);
  private static final int MOST_KEPT = 1_000;
  private static final int UNKNOWN_A_SECOND = 20;
  private static final Pattern ACCOUNT = Pattern.compile("system:serviceaccount:([^:]+):[^:]+");

  private final Function<String, TokenReviewStatus> review;
  private final InstantSource clock;
  private final Map<String, Known> good = new LinkedHashMap<>();
  private final Map<String, Known> bad = new LinkedHashMap<>();
  private Instant second = Instant.MIN;
  private int unknownInSecond;

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

  /**
   * The namespace of the ServiceAccount whose token it is.
   *
   * @throws RefusedException if that cannot be found out now
   */
  @Override
  public Optional<String> apply(String token) {
    var hash = Digest.of(token);
    var before = before(hash, clock.instant());
    return before.isPresent() ? before.get().namespace() : kept(hash, namespace(token));
  }

  /** What is known of the token; empty if it is to be checked. */
  private synchronized Optional<Known> before(String hash, Instant now) {
    var known = Optional.ofNullable(good.get(hash)).or(() -> Optional.ofNullable(bad.get(hash)));
    if (known.filter(one -> now.isBefore(one.until())).isPresent()) {
      return known;
    }
    if (!good.containsKey(hash)) {
      countUnknown(now);
    }
    return Optional.empty();
  }

  private void countUnknown(Instant now) {
    if (second.isBefore(now.minusSeconds(1))) {
      second = now;
      unknownInSecond = 0;
    }
    if (unknownInSecond >= UNKNOWN_A_SECOND) {
      throw RefusedException.later("too many unknown tokens are shown now; try again");
    }
    unknownInSecond++;
  }

  private synchronized Optional<String> kept(String hash, Optional<String> namespace) {
    good.remove(hash);
    bad.remove(hash);
    var kind = namespace.isPresent() ? good : bad;
    if (kind.size() >= MOST_KEPT) {
      kind.remove(kind.keySet().iterator().next());
    }
    kind.put(hash, new Known(namespace, clock.instant().plus(KEPT)));
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
}
