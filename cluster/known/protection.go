package known

import (
	"github.com/coherer/coherer/rpcenv/conf"
)

// What settings of protection promise and nothing gives.
const (
	noAuthentication = "peers are not authenticated"
	noEncryption     = "connections are not encrypted"
	noTLS            = "nothing is served over TLS"
	noACLs           = "users' rights are not checked"
	noKerberos       = "Kerberos authenticates no caller"
	noFilters        = "requests pass no filters"
)

// Settings of Spark that promise protection. Each is refused unless it has its default.
var (
	Authenticate = conf.Declare(Settings, "spark.authenticate", conf.Bools, "false",
		"Whether peers prove that they know the cluster's secret.").Protects(noAuthentication)
	AuthenticateSecret = conf.Optional(Settings, "spark.authenticate.secret", conf.Texts,
		"The cluster's secret.").Protects(noAuthentication)
	AuthenticateSecretFile = conf.Optional(Settings, "spark.authenticate.secret.file", conf.Texts,
		"The file with the cluster's secret.").Protects(noAuthentication)
	AuthenticateSecretDriverFile = conf.Fallback(Settings, "spark.authenticate.secret.driver.file", conf.Texts, AuthenticateSecretFile,
		"The file with the cluster's secret, for the driver.").Protects(noAuthentication)
	AuthenticateSecretExecutorFile = conf.Fallback(Settings, "spark.authenticate.secret.executor.file", conf.Texts, AuthenticateSecretFile,
		"The file with the cluster's secret, for executors.").Protects(noAuthentication)
	AuthenticateSASLEncryption = conf.Declare(Settings, "spark.authenticate.enableSaslEncryption", conf.Bools, "false",
		"Whether connections are encrypted by SASL.").Protects(noEncryption)
	NetworkCryptoEnabled = conf.Declare(Settings, "spark.network.crypto.enabled", conf.Bools, "false",
		"Whether connections are encrypted.").Protects(noEncryption)
	NetworkSASLAlwaysEncrypt = conf.Declare(Settings, "spark.network.sasl.serverAlwaysEncrypt", conf.Bools, "false",
		"Whether connections that are not encrypted are refused.").Protects(noEncryption)
	IOEncryption = conf.Declare(Settings, "spark.io.encryption.enabled", conf.Bools, "false",
		"Whether shuffle files and blocks are encrypted on disk.").Protects("files are not encrypted")
	SSLEnabled = conf.Declare(Settings, "spark.ssl.enabled", conf.Bools, "false",
		"Whether pages and RPC are served over TLS.").Protects(noTLS)
	SSLUI = conf.Fallback(Settings, "spark.ssl.ui.enabled", conf.Bools, SSLEnabled,
		"Whether an application's pages are served over TLS.").Protects(noTLS)
	SSLStandalone = conf.Fallback(Settings, "spark.ssl.standalone.enabled", conf.Bools, SSLEnabled,
		"Whether the pages of Master and Worker are served over TLS.").Protects(noTLS)
	SSLHistoryServer = conf.Fallback(Settings, "spark.ssl.historyServer.enabled", conf.Bools, SSLEnabled,
		"Whether the history server's pages are served over TLS.").Protects(noTLS)
	SSLRPC = conf.Fallback(Settings, "spark.ssl.rpc.enabled", conf.Bools, SSLEnabled,
		"Whether RPC is over TLS.").Protects(noTLS)
	ACLsEnable = conf.Declare(Settings, "spark.acls.enable", conf.Bools, "false",
		"Whether pages look at the rights of users.").Protects(noACLs)
	UIACLsEnable = conf.Fallback(Settings, "spark.ui.acls.enable", conf.Bools, ACLsEnable,
		"The older name of spark.acls.enable.").Protects(noACLs)
	UIFilters = conf.Optional(Settings, "spark.ui.filters", conf.Lists,
		"Servlet filters that requests of pages pass.").Protects(noFilters)
	MasterRESTFilters = conf.Optional(Settings, "spark.master.rest.filters", conf.Lists,
		"Servlet filters that requests of the REST server pass.").Protects(noFilters)
)

// Settings of Hadoop that promise protection. Each is refused unless it has its default. Those that begin with hadoop. come
// from core-site.xml.
var (
	YARNACLEnable = conf.Declare(Settings, "yarn.acl.enable", conf.Bools, "false",
		"Whether YARN looks at the rights of users.").Protects(noACLs)
	YARNAdminACL = conf.Declare(Settings, "yarn.admin.acl", conf.Filled(conf.Texts), "*",
		"The users that may administer a ResourceManager.").Protects(noACLs)
	YARNAuthorizationProvider = conf.Optional(Settings, "yarn.authorization-provider", conf.Texts,
		"The class that decides about rights.").Protects(noACLs)
	YARNHTTPPolicy = conf.Declare(Settings, "yarn.http.policy", conf.Enum("HTTP_ONLY", "HTTPS_ONLY"), "HTTP_ONLY",
		"Whether YARN's pages are served over TLS.").Protects(noTLS)
	YARNApplicationHTTPSPolicy = conf.Declare(Settings, "yarn.resourcemanager.application-https.policy", conf.Enum("NONE", "LENIENT", "STRICT"), "NONE",
		"Whether the pages of application masters are served over TLS.").Protects(noTLS)
	YARNIntermediateEncryption = conf.Declare(Settings, "yarn.intermediate-data-encryption.enable", conf.Bools, "false",
		"Whether what containers keep on disk is encrypted.").Protects("files are not encrypted")
	ResourceManagerPrincipal = conf.Optional(Settings, "yarn.resourcemanager.principal", conf.Texts,
		"The Kerberos principal of the ResourceManager.").Protects(noKerberos)
	ResourceManagerKeytab = conf.Declare(Settings, "yarn.resourcemanager.keytab", conf.Filled(conf.Texts), "/etc/krb5.keytab",
		"The file with the keys of yarn.resourcemanager.principal.").Protects(noKerberos)
	NodeManagerPrincipal = conf.Optional(Settings, "yarn.nodemanager.principal", conf.Texts,
		"The Kerberos principal of a NodeManager.").Protects(noKerberos)
	NodeManagerKeytab = conf.Declare(Settings, "yarn.nodemanager.keytab", conf.Filled(conf.Texts), "/etc/krb5.keytab",
		"The file with the keys of yarn.nodemanager.principal.").Protects(noKerberos)
	NodeManagerContainerExecutor = conf.Declare(Settings, "yarn.nodemanager.container-executor.class", conf.Filled(conf.Texts),
		"org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor",
		"What starts containers.").Protects("containers run as the NodeManager's own user")
	HadoopAuthentication = conf.Declare(Settings, "hadoop.security.authentication", conf.Filled(conf.Texts), "simple",
		"How users of Hadoop are authenticated.").Protects(noKerberos)
	HadoopAuthorization = conf.Declare(Settings, "hadoop.security.authorization", conf.Bools, "false",
		"Whether Hadoop's daemons look at the rights of their callers.").Protects(noACLs)
	HadoopRPCProtection = conf.Declare(Settings, "hadoop.rpc.protection", conf.Filled(conf.Texts), "authentication",
		"Whether Hadoop's RPC is signed or encrypted.").Protects(noEncryption)
	HadoopHTTPAuthentication = conf.Declare(Settings, "hadoop.http.authentication.type", conf.Filled(conf.Texts), "simple",
		"How users of Hadoop's pages are authenticated.").Protects(noAuthentication)
)
