package io.muster.webhook.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjectNames;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.port.Delays;
import io.muster.webhook.core.rendezvous.GangService;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the headless Service of each gang whose members carry the label of one, so that they find
 * each other by name. The Service is owned by the Gang object and goes with it; one that is deleted
 * while members are there is made again. To be run by one process. Safe for concurrent use.
 */
public final class GangServices implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(GangServices.class);
  private static final long NO_RESYNC = 0;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  /** However many of a namespace are tried again and again, they come no closer on average. */
  private static final Duration APART = Duration.ofMillis(50);

  private static final int CONFLICT = 409;

  private final KubernetesClient client;
  private final Executor executor;
  private final Delays delays;
  private final DialectDetector recogniser = new DialectDetector();

  /** Uids of the members of each gang that wants the Service. */
  private final Map<NamespacedName, Map<GangId, Set<String>>> members = new ConcurrentHashMap<>();

  /** How many wait to be tried again, by namespace: whoever has many keeps no others waiting. */
  private final Map<String, Integer> triedAgain = new ConcurrentHashMap<>();

  private final List<SharedIndexInformer<?>> informers = new ArrayList<>();
  private volatile boolean closed;

  /** A Service that is wanted, and the gang it is for. */
  private record Key(GangId gang, String service) {

    NamespacedName name() {
      return new NamespacedName(gang.namespace(), service);
    }
  }

  private record NamespacedName(String namespace, String name) {}

  /**
   * @param executor runs work that blocks, a virtual thread each
   */
  public GangServices(KubernetesClient client, Executor executor, Delays delays) {
    this.client = client;
    this.executor = executor;
    this.delays = delays;
  }

  /** Begins to watch; returns at once and tries until it succeeds. */
  public void start() {
    watch(
        client.pods().inAnyNamespace().withLabel(GangService.LABEL),
        pod -> key(pod).ifPresent(key -> joined(key, pod)),
        pod -> key(pod).ifPresent(key -> left(key, pod)));
    watch(
        client.services().inAnyNamespace().withLabel(GangService.LABEL),
        _ -> {},
        this::madeAgainIfWanted);
  }

  private <T extends HasMetadata> void watch(
      Informable<T> resources, Consumer<T> whenSeen, Consumer<T> whenGone) {
    var informer = resources.runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("message", problem.getMessage())
          .log("a watch for gangs' Services failed and is opened again");
      return true;
    });
    informer.addEventHandler(
        new ResourceEventHandler<T>() {
          @Override
          public void onAdd(T object) {
            whenSeen.accept(object);
          }

          @Override
          public void onUpdate(T before, T now) {
            // What matters of one object does not change; another may have taken its name.
            if (!before.getMetadata().getUid().equals(now.getMetadata().getUid())) {
              whenGone.accept(before);
              whenSeen.accept(now);
            }
          }

          @Override
          public void onDelete(T object, boolean finalStateUnknown) {
            whenGone.accept(object);
          }
        });
    informers.add(informer);
    var _ = informer.start();
  }

  private Optional<Key> key(Pod pod) {
    var metadata = pod.getMetadata();
    var labels = Optional.ofNullable(metadata.getLabels()).orElse(Map.of());
    var annotations = Optional.ofNullable(metadata.getAnnotations()).orElse(Map.of());
    return recogniser
        .recognise(new Markings(metadata.getNamespace(), labels, annotations))
        .map(Membership::gang)
        .map(gang -> new Key(gang, labels.getOrDefault(GangService.LABEL, "")))
        .filter(key -> key.service().equals(GangService.nameOf(key.gang().name())));
  }

  private void joined(Key key, Pod pod) {
    var uid = pod.getMetadata().getUid();
    var uids =
        members
            .computeIfAbsent(key.name(), _ -> new ConcurrentHashMap<>())
            .computeIfAbsent(key.gang(), _ -> ConcurrentHashMap.newKeySet());
    if (uids.add(uid) && uids.size() == 1) {
      executor.execute(() -> ensure(key, FIRST_PAUSE));
    }
  }

  private void left(Key key, Pod pod) {
    members.computeIfPresent(
        key.name(),
        (_, byGang) -> {
          byGang.computeIfPresent(
              key.gang(),
              (_, uids) -> {
                uids.remove(pod.getMetadata().getUid());
                return uids.isEmpty() ? null : uids;
              });
          return byGang.isEmpty() ? null : byGang;
        });
  }

  private void madeAgainIfWanted(Service service) {
    var metadata = service.getMetadata();
    var name = new NamespacedName(metadata.getNamespace(), metadata.getName());
    gangsOf(name)
        .forEach(
            gang -> executor.execute(() -> ensure(new Key(gang, metadata.getName()), FIRST_PAUSE)));
  }

  private Set<GangId> gangsOf(NamespacedName service) {
    return members.getOrDefault(service, Map.of()).keySet();
  }

  /** Tries until the Service is there or no member is left. */
  private void ensure(Key key, Duration pause) {
    if (closed || !gangsOf(key.name()).contains(key.gang())) {
      return;
    }
    boolean isThere;
    try {
      isThere = gang(key.gang()).map(gang -> make(key, gang)).orElse(false);
    } catch (KubernetesClientException e) {
      LOG.atWarn()
          .addKeyValue("gang", key.gang())
          .addKeyValue("service", key.service())
          .addKeyValue("message", e.getMessage())
          .log("a gang's Service could not be made and is tried again");
      isThere = false;
    }
    if (!isThere) {
      var longer = pause.multipliedBy(2);
      var next = longer.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : longer;
      var namespace = key.gang().namespace();
      var together = APART.multipliedBy(triedAgain.merge(namespace, 1, Integer::sum));
      delays.after(
          pause.compareTo(together) > 0 ? pause : together,
          () ->
              executor.execute(() -> {
                triedAgain.computeIfPresent(namespace, (_, count) -> count == 1 ? null : count - 1);
                ensure(key, next);
              }));
    }
  }

  private Optional<Gang> gang(GangId id) {
    return GangObjectNames.candidates(id).stream()
        .flatMap(name ->
            Optional.ofNullable(
                client.resources(Gang.class).inNamespace(id.namespace()).withName(name).get())
                .stream())
        .filter(gang -> GangObjects.idOf(gang).filter(id::equals).isPresent())
        .findFirst();
  }

  /** Whether nothing is left to do. */
  private boolean make(Key key, Gang gang) {
    var namespace = key.gang().namespace();
    try {
      client.services().inNamespace(namespace).resource(service(key, gang)).create();
      LOG.atInfo()
          .addKeyValue("gang", key.gang())
          .addKeyValue("service", key.service())
          .log("a gang's Service was made");
      return true;
    } catch (KubernetesClientException e) {
      if (e.getCode() != CONFLICT) {
        throw e;
      }
    }
    var found = client.services().inNamespace(namespace).withName(key.service()).get();
    if (found == null) {
      return false;
    }
    var owners = found.getMetadata().getOwnerReferences();
    if (owners.stream().anyMatch(o -> o.getUid().equals(gang.getMetadata().getUid()))) {
      return true;
    }
    // That of an earlier Gang object goes with it, any moment.
    boolean isAnotherGangs = owners.stream().anyMatch(o -> o.getKind().equals("Gang"));
    if (!isAnotherGangs) {
      LOG.atWarn()
          .addKeyValue("gang", key.gang())
          .addKeyValue("service", key.service())
          .log("a Service that is not Muster's bears the name of a gang's; it is left alone");
    }
    return !isAnotherGangs;
  }

  private static Service service(Key key, Gang gang) {
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(key.service())
        .withNamespace(key.gang().namespace())
        .addToLabels(GangService.LABEL, key.service())
        .addToLabels("app.kubernetes.io/managed-by", "muster")
        .addNewOwnerReference()
        .withApiVersion(Gang.GROUP + "/" + Gang.VERSION)
        .withKind("Gang")
        .withName(gang.getMetadata().getName())
        .withUid(gang.getMetadata().getUid())
        .endOwnerReference()
        .endMetadata()
        .withNewSpec()
        .withClusterIP("None")
        .withPublishNotReadyAddresses(true)
        .withSelector(Map.of(GangService.LABEL, key.service()))
        .endSpec()
        .build();
  }

  @Override
  public void close() {
    closed = true;
    informers.forEach(SharedIndexInformer::stop);
  }
}
