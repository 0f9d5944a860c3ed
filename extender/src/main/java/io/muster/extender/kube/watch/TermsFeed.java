package io.muster.extender.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.APIGroup;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GroupVersionForDiscovery;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributes;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceAttributesBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.Denials;
import io.muster.extender.kube.OwnRights;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells what the objects say in which terms of gangs stand ({@link TermsKind}).
 *
 * <ol>
 *   <li>Kinds that own pods are watched from the moment a pod names one of theirs.
 *   <li>Every so often the apiserver is asked what it serves, for which no rights are needed. A
 *       kind that has come is watched from then on; one that is missing at two checks takes its
 *       objects with it.
 *   <li>Once every kind that is served at the start has been listed, or has turned out not to be
 *       readable, it says so, once.
 *   <li>What Muster may not read is not there; it is tried again as any broken watch is.
 * </ol>
 *
 * Safe for concurrent use.
 */
public final class TermsFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TermsFeed.class);
  private static final long NO_RESYNC = 0;
  static final Duration LOOKED_APART = Duration.ofSeconds(10);
  private static final Duration UNTIL_THE_FIRST_CHECK = Duration.ofSeconds(1);
  private static final int MOST_FAILURES = 10;
  private static final ResourceAttributes ANY =
      new ResourceAttributesBuilder().withVerb("list").withResource("namespaces").build();

  private final KubernetesClient client;
  private final Consumer<Event> told;
  private final Runnable listed;
  private final Consumer<Map<String, Set<String>>> groupsSeen;
  private final Duration checkedApart;
  private final ScheduledExecutorService checks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("terms-feed").factory());
  private final Map<TermsKind, Watch> watches = new HashMap<>();

  /** Kinds of owners that some pod has named. */
  private final Set<TermsObject.Kind> wanted = ConcurrentHashMap.newKeySet();

  /** Kinds whose first list is still to come; empty before the first check. */
  private Optional<Set<TermsKind>> unlisted = Optional.empty();

  /** Kinds that were not served at the last check: an apiserver that starts learns them late. */
  private final Set<TermsKind> missed = new HashSet<>();

  private int failures;
  private boolean isClosed;

  /** A watch on one kind, and what it has told of, by the name of the object. */
  private record Watch(
      String version,
      SharedIndexInformer<GenericKubernetesResource> informer,
      Map<String, Map<TermsObject, Optional<Terms>>> objects,
      AtomicBoolean isOver,
      AtomicBoolean isFaultTold) {

    void end() {
      isOver.set(true);
      informer.stop();
    }
  }

  /**
   * Begins nothing yet.
   *
   * @param listed to be run once, when everything that there is at the start has been told
   * @param checkedApart how often to check what the apiserver serves
   * @param groupsSeen is told at each check which versions of which API groups there are, and none
   *     where that cannot be found out at the start
   */
  TermsFeed(
      KubernetesClient client,
      Consumer<Event> told,
      Runnable listed,
      Duration checkedApart,
      Consumer<Map<String, Set<String>>> groupsSeen) {
    this.client = client;
    this.groupsSeen = groupsSeen;
    this.checkedApart = checkedApart;
    this.told = told;
    this.listed = listed;
  }

  /** Begins to check; returns at once. */
  void start() {
    checks.execute(this::check);
  }

  /** The pod may name an owner of a kind that nobody has asked for before. */
  void seen(Pod pod) {
    pod.membership()
        .filter(member -> member.terms() instanceof Terms.InObject)
        .map(member -> ((Terms.InObject) member.terms()).object().kind())
        .filter(TermsObject.Kind::isOwner)
        .filter(wanted::add)
        .ifPresent(_ -> lookAgain());
  }

  private synchronized void lookAgain() {
    if (!isClosed) {
      checks.execute(() -> follow(served()));
    }
  }

  private void check() {
    var next = checkedApart;
    try {
      follow(served());
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("what the apiserver serves could not be read; tried again");
      next = failed(isDenied(e));
    } catch (RuntimeException e) {
      LOG.atError().setCause(e).log("objects with terms could not be followed");
    }
    synchronized (this) {
      if (!isClosed) {
        var _ = checks.schedule(this::check, next.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /** Nobody waits for what may not be asked about, or is not answered for long. */
  private synchronized Duration failed(boolean isDenied) {
    failures++;
    if (unlisted.isEmpty() && (isDenied || failures >= MOST_FAILURES)) {
      unlisted = Optional.of(new HashSet<>());
      listed.run();
      groupsSeen.accept(Map.of());
    }
    return unlisted.isEmpty() ? UNTIL_THE_FIRST_CHECK : checkedApart;
  }

  /** One that has just started forbids to ask for rights, too. */
  private boolean isDenied(KubernetesClientException problem) {
    return switch (problem.getCode()) {
      case HttpURLConnection.HTTP_UNAUTHORIZED -> true;
      case HttpURLConnection.HTTP_FORBIDDEN ->
          new OwnRights(client).ask(ANY) != OwnRights.Standing.UNKNOWN;
      default -> false;
    };
  }

  /** The kinds that can be watched now, in the version to be read. */
  private Map<TermsKind, String> served() {
    var answer = Optional.ofNullable(client.getApiGroups());
    var groups =
        answer.stream()
            .flatMap(list -> list.getGroups().stream())
            .collect(Collectors.toMap(APIGroup::getName, TermsFeed::versions, (a, _) -> a));
    groupsSeen.accept(groups);
    var served = new HashMap<TermsKind, String>();
    for (var kind : TermsKind.ALL) {
      if (kind.kind().isOwner() && !wanted.contains(kind.kind())) {
        continue;
      }
      var versions = groups.getOrDefault(kind.kind().group(), Set.of());
      kind.versions().stream()
          .filter(versions::contains)
          .filter(version -> isWatched(kind, version) || serves(kind, version))
          .findFirst()
          .ifPresent(version -> served.put(kind, version));
    }
    return served;
  }

  private static Set<String> versions(APIGroup group) {
    return group.getVersions().stream()
        .map(GroupVersionForDiscovery::getVersion)
        .collect(Collectors.toSet());
  }

  private boolean serves(TermsKind kind, String version) {
    var resources = client.getApiResources(kind.kind().group() + "/" + version);
    return resources != null
        && resources.getResources().stream().anyMatch(it -> kind.plural().equals(it.getName()));
  }

  private synchronized boolean isWatched(TermsKind kind, String version) {
    return watches.containsKey(kind) && watches.get(kind).version().equals(version);
  }

  private synchronized void follow(Map<TermsKind, String> served) {
    if (isClosed) {
      return;
    }
    for (var watched : List.copyOf(watches.entrySet())) {
      if (watched.getValue().version().equals(served.get(watched.getKey()))) {
        missed.remove(watched.getKey());
      } else if (!missed.add(watched.getKey())) {
        missed.remove(watched.getKey());
        watches.remove(watched.getKey());
        end(watched.getKey(), watched.getValue());
      }
    }
    boolean isFirst = unlisted.isEmpty();
    if (isFirst) {
      unlisted = Optional.of(new HashSet<>(served.keySet()));
    }
    served.forEach((kind, version) -> {
      if (!watches.containsKey(kind)) {
        watches.put(kind, watch(kind, version));
      }
    });
    if (isFirst && served.isEmpty()) {
      listed.run();
    }
  }

  private void end(TermsKind kind, Watch watch) {
    watch.end();
    listed(kind);
    watch.objects().values().stream()
        .flatMap(said -> said.keySet().stream())
        .forEach(object -> told.accept(new Event.TermsGone(object)));
    LOG.atInfo().addKeyValue("kind", name(kind)).log("objects with terms are served no more");
  }

  private synchronized void listed(TermsKind kind) {
    if (unlisted.filter(kinds -> kinds.remove(kind) && kinds.isEmpty()).isPresent()) {
      listed.run();
    }
  }

  private Watch watch(TermsKind kind, String version) {
    var context =
        new ResourceDefinitionContext.Builder()
            .withGroup(kind.kind().group())
            .withVersion(version)
            .withKind(kind.kind().word())
            .withPlural(kind.plural())
            .withNamespaced(true)
            .build();
    var informer =
        client.genericKubernetesResources(context).inAnyNamespace().runnableInformer(NO_RESYNC);
    // Of what they say no more is kept than their terms: templates of pods may be large.
    informer.itemStore(
        new ReducedStateItemStore<>(
            ReducedStateItemStore.NAME_KEY_STATE,
            GenericKubernetesResource.class,
            client.getKubernetesSerialization()));
    var watch =
        new Watch(version, informer, new HashMap<>(), new AtomicBoolean(), new AtomicBoolean());
    var denials =
        new Denials(
            client, new Denials.Kind(kind.kind().group(), kind.plural()), () -> listed(kind));
    informer.exceptionHandler((_, problem) -> {
      if (watch.isFaultTold().compareAndSet(false, true)) {
        LOG.atWarn()
            .addKeyValue("kind", name(kind))
            .addKeyValue("message", problem.getMessage())
            .log("objects with terms cannot be watched; tried again");
      }
      if (!denials.seen(problem)) {
        listed(kind);
      }
      return true;
    });
    informer.addEventHandler(new Handler(kind, watch));
    LOG.atInfo().addKeyValue("kind", name(kind)).log("objects with terms are watched");
    informer.start();
    return watch;
  }

  private static String name(TermsKind kind) {
    return kind.kind().word() + "." + kind.kind().group();
  }

  /** Never throws, since the informer would lose the rest; objects may be of any class. */
  private final class Handler implements ResourceEventHandler<HasMetadata> {

    private final TermsKind kind;
    private final Watch watch;

    Handler(TermsKind kind, Watch watch) {
      this.kind = kind;
      this.watch = watch;
    }

    @Override
    public void onAdd(HasMetadata object) {
      seen(object);
    }

    @Override
    public void onUpdate(HasMetadata before, HasMetadata now) {
      seen(now);
    }

    @Override
    public void onDelete(HasMetadata object, boolean finalStateUnknown) {
      tell(object, Map.of());
    }

    @Override
    public void onList(String resourceVersion, boolean remainedEmpty) {
      watch.isFaultTold().set(false);
      listed(kind);
    }

    private void seen(HasMetadata object) {
      try {
        var tree = client.getKubernetesSerialization().convertValue(object, JsonNode.class);
        var metadata = object.getMetadata();
        tell(object, kind.read(metadata.getNamespace(), metadata.getName(), tree));
      } catch (RuntimeException e) {
        LOG.atError()
            .setCause(e)
            .addKeyValue("kind", name(kind))
            .addKeyValue("object", object.getMetadata().getName())
            .log("terms could not be read");
      }
    }

    /** What it said before and says no more is gone; what it says as before is not told again. */
    private void tell(HasMetadata object, Map<TermsObject, Optional<Terms>> said) {
      synchronized (TermsFeed.this) {
        if (watch.isOver().get()) {
          return;
        }
        var metadata = object.getMetadata();
        var key = metadata.getNamespace() + "/" + metadata.getName();
        var before = watch.objects().getOrDefault(key, Map.of());
        if (said.isEmpty()) {
          watch.objects().remove(key);
        } else {
          watch.objects().put(key, Map.copyOf(said));
        }
        before.keySet().stream()
            .filter(gone -> !said.containsKey(gone))
            .forEach(gone -> told.accept(new Event.TermsGone(gone)));
        said.forEach((terms, what) -> {
          if (!what.equals(before.get(terms))) {
            told.accept(new Event.TermsSeen(terms, what));
          }
        });
      }
    }
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    checks.shutdownNow();
    watches.values().forEach(Watch::end);
  }
}
