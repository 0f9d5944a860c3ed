package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.BaseConfigurationService;
import io.javaoperatorsdk.operator.api.config.DefaultResourceClassResolver;
import io.javaoperatorsdk.operator.api.config.ExecutorServiceManager;
import io.javaoperatorsdk.operator.api.config.InformerStoppedHandler;
import io.javaoperatorsdk.operator.api.config.ResourceClassResolver;
import io.javaoperatorsdk.operator.api.config.Utils;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;

/**
 * How the operator framework runs one kind: it leaves the client open and writes nothing, and where
 * it can watch no longer it says so, in place of ending the process.
 */
final class OperatorSettings extends BaseConfigurationService {

  private static final Duration LAST_RECONCILE = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final ExecutorService executor;
  private final Class<? extends HasMetadata> kind;
  private final Consumer<Throwable> stopped;

  /**
   * Settings for the reconcilers of one kind.
   *
   * @param executor runs a reconcile each
   * @param kind what {@link JobReconciler}, which is one class for all kinds, reconciles here
   * @param stopped is told why a watch has ended for good
   */
  OperatorSettings(
      KubernetesClient client,
      ExecutorService executor,
      Class<? extends HasMetadata> kind,
      Consumer<Throwable> stopped) {
    super(Utils.VERSION);
    this.stopped = stopped;
    this.client = client;
    this.executor = executor;
    this.kind = kind;
  }

  @Override
  protected ResourceClassResolver getResourceClassResolver() {
    return new ResourceClassResolver() {
      @Override
      @SuppressWarnings("unchecked") // this operator has the one JobReconciler, of this kind
      public <P extends HasMetadata> Class<P> getPrimaryResourceClass(
          Class<? extends Reconciler<P>> reconciler) {
        return reconciler.equals(JobReconciler.class)
            ? (Class<P>) kind
            : new DefaultResourceClassResolver().getPrimaryResourceClass(reconciler);
      }
    };
  }

  @Override
  public KubernetesClient getKubernetesClient() {
    return client;
  }

  @Override
  public boolean closeClientOnStop() {
    return false;
  }

  @Override
  public ExecutorService getExecutorService() {
    return executor;
  }

  /** A timer without a thread of its own, as the framework makes it, wakes 100 times a second. */
  @Override
  public ExecutorServiceManager getExecutorServiceManager() {
    var executors = super.getExecutorServiceManager();
    if (executors.scheduledExecutorService() instanceof ScheduledThreadPoolExecutor timer) {
      timer.setCorePoolSize(1);
    }
    return executors;
  }

  @Override
  public boolean stopOnInformerErrorDuringStartup() {
    return false;
  }

  /** An object that cannot be read ends the watch that it is in. */
  @Override
  public Optional<InformerStoppedHandler> getInformerStoppedHandler() {
    return Optional.of((_, fault) -> Optional.ofNullable(fault).ifPresent(stopped));
  }

  @Override
  public Duration reconciliationTerminationTimeout() {
    return LAST_RECONCILE;
  }

  @Override
  public boolean useSSAToPatchPrimaryResource() {
    return false;
  }
}
