package io.muster.extender;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.GeneralCodingRules;
import java.time.Clock;
import java.time.Instant;
import java.util.Set;

@AnalyzeClasses(
    packages = "io.muster.extender",
    importOptions = ImportOption.DoNotIncludeTests.class)
final class LayeringTest {

  @ArchTest
  static final ArchRule THE_CORE_KNOWS_ONLY_JAVA_AND_ITSELF =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.core..")
          .should()
          .dependOnClassesThat()
          .resideOutsideOfPackages("java..", "io.muster.extender.core..");

  @ArchTest
  static final ArchRule THE_CORE_DOES_NO_IO_AND_STARTS_NO_THREADS =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.core..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.io..", "java.nio.file..", "java.net..")
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Thread.class);

  @ArchTest
  static final ArchRule PACKAGES_OF_THE_CORE_FORM_NO_CYCLE =
      slices().matching("io.muster.extender.core.(*)..").should().beFreeOfCycles();

  @ArchTest
  static final ArchRule KUBE_DOES_NOT_KNOW_THE_OTHER_ADAPTERS =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.kube..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.muster.extender.http..", "io.muster.extender.metrics..");

  @ArchTest
  static final ArchRule METRICS_DO_NOT_KNOW_THE_OTHER_ADAPTERS =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.metrics..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.muster.extender.http..", "io.muster.extender.kube..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule HTTP_KNOWS_OF_THE_ADAPTERS_ONLY_HOW_OBJECTS_ARE_READ =
      noClasses()
          .that()
          .resideInAPackage("io.muster.extender.http..")
          .should()
          .dependOnClassesThat(
              DescribedPredicate.describe(
                  "are another adapter's, save Translation and LeanObjects",
                  type ->
                      (type.getPackageName().startsWith("io.muster.extender.kube")
                              || type.getPackageName().startsWith("io.muster.extender.metrics"))
                          && !Set.of("Translation", "LeanObjects").contains(type.getSimpleName())))
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule TIME_COMES_FROM_OUTSIDE =
      noClasses()
          .should()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(Clock.class, "systemUTC");

  @ArchTest
  static final ArchRule NOTHING_PRINTS =
      GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

  @ArchTest
  static final ArchRule NOTHING_LOGS_THROUGH_THE_JDK =
      GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
}
