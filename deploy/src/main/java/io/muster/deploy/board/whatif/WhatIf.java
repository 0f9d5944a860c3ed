package io.muster.deploy.board.whatif;

import io.muster.deploy.board.access.Access;
import io.muster.deploy.view.Fitting;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.query.Prospect;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what would become of pods that nobody has made, as {@code muster fit} does, on a copy of
 * the cluster: nothing is created. Few are answered at once, and one of each account; whoever has
 * waited for too long is told so, and what was begun for them counts until it ends. Safe for
 * concurrent use.
 */
public final class WhatIf {

  /** Of one request, in bytes. */
  public static final int LONGEST_REQUEST = 256 * 1024;

  /** After so long it is worth asking again. */
  public static final Duration ASK_AGAIN = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(WhatIf.class);

  /** Of a pod that is played through while somebody waits: no real one has as many. */
  private static final int MOST_PORTS = 64;

  private static final int MOST_RESOURCES = 64;
  private static final int MOST_TERMS = 256;

  private static final int MOST_AT_ONCE = 2;
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Fitting fitting;
  private final Duration patience;
  private final Semaphore free = new Semaphore(MOST_AT_ONCE);
  private final Set<String> asking = ConcurrentHashMap.newKeySet();

  public WhatIf(Fitting fitting) {
    this(fitting, PATIENCE);
  }

  /**
   * @param patience an answer takes no longer
   */
  WhatIf(Fitting fitting, Duration patience) {
    this.fitting = fitting;
    this.patience = patience;
  }

  /**
   * Answers a request.
   *
   * @param account whose next one waits until this one has ended
   * @param view what is asked about
   * @param nodes names of nodes by their numbers on the page
   * @param json at most {@link #LONGEST_REQUEST} bytes, or it is too long
   */
  public Reply reply(
      String account,
      ClusterView view,
      Access access,
      IntFunction<Optional<String>> nodes,
      byte[] json)
      throws InterruptedException {
    if (json.length > LONGEST_REQUEST) {
      return Reply.refused(
          Reply.Refusal.TOO_LONG, "a request may have %d bytes".formatted(LONGEST_REQUEST));
    }
    if (!asking.add(account)) {
      return Reply.refused(
          Reply.Refusal.ONE_AT_A_TIME,
          "your last question is still being answered; ask again when it has been");
    }
    if (!free.tryAcquire()) {
      asking.remove(account);
      return Reply.refused(Reply.Refusal.BUSY, "busy: others are being answered; ask again soon");
    }
    var isGivenUp = new AtomicBoolean();
    // Whoever has the answer may ask the next question at once.
    var work =
        new FutureTask<Reply>(() -> {
          try {
            return worked(view, access, nodes, json, isGivenUp::get);
          } finally {
            end(account);
          }
        });
    try {
      Thread.ofPlatform().daemon().name("muster-what-if").start(work);
    } catch (OutOfMemoryError e) {
      end(account);
      throw e;
    }
    try {
      return work.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException _) {
      return Reply.refused(
          Reply.Refusal.TOO_SLOW,
          "no answer within %d s; ask about fewer pods, or run muster fit"
              .formatted(patience.toSeconds()));
    } catch (ExecutionException e) {
      LOG.atError().setCause(e.getCause()).log("a what-if could not be worked out");
      return Reply.refused(
          Reply.Refusal.FAULT, "the answer could not be worked out; the log says why");
    } finally {
      isGivenUp.set(true);
    }
  }

  private void end(String account) {
    free.release();
    asking.remove(account);
  }

  private Reply worked(
      ClusterView view,
      Access access,
      IntFunction<Optional<String>> nodes,
      byte[] json,
      BooleanSupplier isGivenUp) {
    try {
      var request = Request.read(json, own(access));
      var pods = pods(request);
      var discretion = new Discretion(access, view);
      var objection = discretion.objection(pods);
      if (objection.isPresent()) {
        return Reply.refused(Reply.Refusal.FORBIDDEN, objection.get());
      }
      var changed = view;
      if (request.more().isPresent()) {
        var more = request.more().get();
        var like = like(more, view, access, nodes);
        // Names of its own, or that of the node could be found out by theirs.
        var called = access.nodes() ? like.name() : "new-node";
        changed = NewNodes.added(view, like, called, more.count());
      }
      return isGivenUp.getAsBoolean()
          ? Reply.refused(Reply.Refusal.BUSY, "busy")
          : discretion.told(Fitting.fit(pods, changed, isGivenUp));
    } catch (InvalidRequestException e) {
      return new Reply.Refused(
          Reply.Refusal.INVALID,
          new Reply.Problem(e.getMessage(), e.field().isEmpty() ? null : e.field()));
    }
  }

  /** The namespace of whoever sees no more than one. */
  private static Optional<String> own(Access access) {
    return access.allNamespaces() || access.namespaces().size() != 1
        ? Optional.empty()
        : access.namespaces().stream().findFirst();
  }

  private Fitting.Asked.Pods pods(Request request) throws InvalidRequestException {
    return switch (fitting.read(request.manifests(), request.namespace())) {
      case Fitting.Asked.Pods pods -> {
        if (pods.lots().stream()
            .map(Prospect.Lot::pod)
            .flatMap(pod -> Stream.concat(Stream.of(pod.demand()), pod.later().stream()))
            .anyMatch(WhatIf::isIntricate)) {
          throw new InvalidRequestException(
              request.field(),
              "a pod has more than %d ports of the node, %d extended resources or %d node terms: run muster fit"
                  .formatted(MOST_PORTS, MOST_RESOURCES, MOST_TERMS));
        }
        yield pods;
      }
      case Fitting.Asked.Nothing(var why) ->
          throw new InvalidRequestException(request.field(), why);
      case Fitting.Asked.Refused(var sentence) ->
          throw new InvalidRequestException(request.field(), sentence);
    };
  }

  private static boolean isIntricate(Demand demand) {
    return demand.requests().hostPorts().size() > MOST_PORTS
        || demand.requests().extended().size() > MOST_RESOURCES
        || demand.anyOfTerms().size() + demand.preferred().size() > MOST_TERMS;
  }

  /** By its number alone for whoever may not know names: they could be found by guessing. */
  private static Node like(
      Request.More more, ClusterView view, Access access, IntFunction<Optional<String>> nodes)
      throws InvalidRequestException {
    return named(view, Optional.of(more.like()).filter(_ -> access.nodes()))
        .or(() ->
            named(
                view,
                Optional.of(more.like())
                    .filter(like -> like.matches("\\d{1,9}"))
                    .map(Integer::parseInt)
                    .flatMap(nodes::apply)))
        .orElseThrow(() ->
            new InvalidRequestException(
                "moreNodes.like", "there is no node " + Fields.shown(more.like())));
  }

  private static Optional<Node> named(ClusterView view, Optional<String> name) {
    return name.flatMap(
        wanted -> view.nodes().stream().filter(node -> node.name().equals(wanted)).findFirst());
  }
}
